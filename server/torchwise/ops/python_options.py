"""Options of the command line: which kinds of values `argparse` leaves in its namespace.

Which ones is known only where the arguments are an empty list, so that all defaults hold: `parse_args([])`.
"""

from __future__ import annotations

from torchwise.domain.effects import Effect, SetAttrOf
from torchwise.domain.value import ANY, NONE, Const, Items, Named, Num, Obj, Some, Value
from torchwise.ops.python_library import library
from torchwise.ops.spec import Given, Made, Outcome

PARSER = "argparse.ArgumentParser"
SPACE = "argparse.Namespace"
DEFAULT, TEXT = "=default", Named("builtins.str")
NEGATED = Named("argparse.BooleanOptionalAction")  # `--amp` and `--no-amp`
FLAGS = frozenset(("store_true", "store_false"))


def _added(given: Given) -> Outcome:
    name = _destination(given)
    if name is None:
        return Outcome(ANY)
    default = SetAttrOf(given["self"], f"{name}{DEFAULT}", _default(given))
    return Outcome(ANY, (), (SetAttrOf(given["self"], name, _kind(given, name)), default))


def _default(given: Given) -> Value:
    """What an option is that is not given; of a text that its type makes a value of, nothing is known."""
    flag = "store" if given.get("action") == NEGATED else given.const("action", "store")
    if flag in FLAGS and "default" not in given:
        return Const(flag == "store_false")
    default = given.get("default", NONE)
    text = isinstance(default, Const) and isinstance(default.value, str)
    return ANY if flag is ... or (text and given.get("type", TEXT) != TEXT) else default


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
    if action == NEGATED or (isinstance(action, Const) and action.value in FLAGS):
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
    obj, args = given.obj("self"), given.list("args")
    attrs = obj.attrs if obj is not None else {}
    known = {n: v for n, v in attrs.items() if not n.endswith(DEFAULT)}
    if args == ():
        known = {n: attrs.get(f"{n}{DEFAULT}", v) for n, v in known.items()}
    return Made(Obj(SPACE, known))


def _defaulted(given: Given) -> Outcome:
    """`set_defaults(rate=0.1)`: what is given may be anything of any kind from there on."""
    names = [n for n in given.values if n != "self"]
    effects: list[Effect] = [
        SetAttrOf(given["self"], n, ANY) for name in names for n in (name, f"{name}{DEFAULT}")
    ]
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
