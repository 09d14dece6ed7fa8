"""Options of the command line: which kinds of values `argparse` leaves in its namespace, never which ones."""

from __future__ import annotations

from torchwise.domain.effects import Effect, SetAttrOf
from torchwise.domain.value import ANY, Const, Items, Named, Num, Obj, Some, Value
from torchwise.ops.python_library import library
from torchwise.ops.spec import Given, Made, Outcome

PARSER = "argparse.ArgumentParser"
SPACE = "argparse.Namespace"
FLAGS = frozenset(("store_true", "store_false"))


def _added(given: Given) -> Outcome:
    name = _destination(given)
    if name is None:
        return Outcome(ANY)
    return Outcome(ANY, (), (SetAttrOf(given["self"], name, _kind(given, name)),))


def _destination(given: Given) -> str | None:
    """`--batch-size` is `args.batch_size`; the first of the long names counts."""
    names = given["names"].items if isinstance(given["names"], Items) else (given["names"],)
    known = [v.value for v in names if isinstance(v, Const) and isinstance(v.value, str)]
    asked = given.const("dest")
    if isinstance(asked, str):
        return asked
    if not known or len(known) != len(names) or asked is not None:
        return None
    first = next((n for n in known if n.startswith("--")), known[0])
    return first.lstrip("-").replace("-", "_")


def _kind(given: Given, name: str) -> Value:
    action = given.get("action", Const("store"))
    if action == Named("argparse.BooleanOptionalAction") or (
        isinstance(action, Const) and action.value in FLAGS
    ):
        return Some("bool")
    if action != Const("store") or "nargs" in given:
        return ANY
    default, asked = given.get("default"), given.const("required", False) is True or not _optional(given)
    number = isinstance(default, Num) or (isinstance(default, Const) and isinstance(default.value, float))
    match given.get("type", Named("builtins.str")):
        case Named("builtins.int") if asked or isinstance(default, Num):
            return Num(given.fresh(name))
        case Named("builtins.float") if asked or number:
            return Some("float")
        case Named("builtins.str") if asked or (
            isinstance(default, Const) and isinstance(default.value, str)
        ):
            return Some("str")
    return ANY


def _optional(given: Given) -> bool:
    first = given["names"].items[0] if isinstance(given["names"], Items) and given["names"].items else ANY
    return not (isinstance(first, Const) and isinstance(first.value, str) and not first.value.startswith("-"))


def _parsed(given: Given) -> Made:
    obj = given.obj("self")
    return Made(Obj(SPACE, dict(obj.attrs) if obj is not None else {}))


def _defaulted(given: Given) -> Outcome:
    """`set_defaults(rate=0.1)`: what is given may be anything of any kind from there on."""
    names = [n for n in given.values if n != "self"]
    effects: list[Effect] = [SetAttrOf(given["self"], name, ANY) for name in names]
    return Outcome(ANY, (), tuple(effects))


library(PARSER, "*args", lambda given: Made(Obj(PARSER)))
library(SPACE, "*args", lambda given: Made(Obj(SPACE, dict(given.values))))
library(
    f"{PARSER}.add_argument",
    "self *names dest type default action nargs const choices required help metavar",
    _added,
    "",
)
for _name in ("add_argument_group", "add_mutually_exclusive_group"):
    library(f"{PARSER}.{_name}", "self *args", lambda given: given["self"], "")
library(f"{PARSER}.set_defaults", "self", _defaulted, "")
library(f"{PARSER}.parse_args", "self args namespace", _parsed)
library(f"{PARSER}.parse_known_args", "self args namespace", lambda given: _known(given))


def _known(given: Given) -> Value:
    from typing import cast

    return Items((cast(Value, _parsed(given)), ANY))
