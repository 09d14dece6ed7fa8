"""Records that Python makes of a call: named tuples, and generators of random numbers of one's own."""

from __future__ import annotations

from typing import cast

from torchwise.domain.value import ANY, Const, Items, Named, Num, Obj, Partial, Some, Value
from torchwise.ops.iterables import covering, elements
from torchwise.ops.python_library import library, sampled, shuffled
from torchwise.ops.spec import Given, Made

RECORD = "collections.namedtuple.()"


def _record_class(given: Given) -> Value:
    """`namedtuple("Step", "state action")`: a callable that knows its fields."""
    fields = given["field_names"]
    if isinstance(fields, Const) and isinstance(fields.value, str):
        names = tuple(fields.value.replace(",", " ").split())
    else:
        found = elements(given, fields)
        known = found if isinstance(found, tuple) else ()
        names = tuple([v.value for v in known if isinstance(v, Const) and isinstance(v.value, str)])
        if not isinstance(found, tuple) or len(names) != len(found):
            return ANY
    if not names or given.get("rename", Const(False)) != Const(False):
        return ANY
    return Partial(Named(RECORD), (Items(tuple([Const(n) for n in names])),))


def _record(given: Given) -> Value:
    fields = given["fields"]
    names = (
        [cast(str, f.value) for f in fields.items if isinstance(f, Const)]
        if isinstance(fields, Items)
        else []
    )
    row = given.get("values", Items(()))
    positional = list(row.items) if isinstance(row, Items) else [ANY] * len(names)
    values = [positional[i] if i < len(positional) else given.get(name, ANY) for i, name in enumerate(names)]
    return Items(tuple(values), "record", tuple(names))


library("collections.namedtuple", "typename field_names rename defaults module", _record_class)
library(RECORD, "fields *values", _record)

FACTORY = Named("dataclasses.field.default_factory")


def _field(given: Given) -> Value:
    """A field's default, or its factory: a dataclass calls it for each instance."""
    if "default_factory" in given:
        return Partial(FACTORY, (given["default_factory"],))
    return given["default"]


library("dataclasses.field", "default default_factory", _field)

RANDOM = "random.Random"
library(RANDOM, "x", lambda given: Made(Obj(RANDOM)))
library("random.SystemRandom", "x", lambda given: Made(Obj(RANDOM)))
for _name in ("random", "uniform", "gauss", "normalvariate", "betavariate", "expovariate", "triangular"):
    library(f"{RANDOM}.{_name}", "self *args", lambda given: Some("float"))
for _name in ("randint", "randrange", "getrandbits"):
    library(f"{RANDOM}.{_name}", "self *args", lambda given: Num(given.fresh("random")))
library(f"{RANDOM}.choice", "self seq", lambda given: covering(elements(given, given["seq"])))
library(f"{RANDOM}.choices", "self population weights cum_weights k", sampled)
library(f"{RANDOM}.sample", "self population k", sampled)
library(f"{RANDOM}.shuffle", "self x", shuffled)
library(f"{RANDOM}.seed", "self a version")
