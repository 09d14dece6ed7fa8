"""How a layer of torch.nn is written down: its constructor, what an instance holds, what a call gives.

    layer("torch.nn.Linear", "in_features out_features bias=True device=None dtype=None",
          home="linear", holds=_linear_parts, call=by(linear, "weight bias"), does="linear",
          saves="input<weight weight<input")

An instance has the attributes that torch's own has: `conv.kernel_size` is a tuple, `fc.bias` a parameter or
None. What is a module inside is an object to be made with it. Calling a layer is its functional form with
attributes for arguments, so both are written once. A saved name that is no parameter of the call ("weight")
is an attribute of the layer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import cast

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Effect, SetAttrOf, SetItems, SetMark
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, NONE, Const, Device, Dtype, Items, Num, Obj, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.spec import OPS, Broken, Given, Made, Outcome, Returns, op

MODULE = "torch.nn.Module"
UNSTORED = (
    "device",
    "dtype",
    "size_average",
    "reduce",
    "_weight",
    "_freeze",
)  # arguments that no instance keeps
Sizes = tuple[Dim | None, ...]
Holds = Callable[[Given], Mapping[str, Value]]
Needs = Callable[[Given], Iterable[Broken]]


def layer(
    path: str,
    arguments: str = "",
    *,
    home: str,
    call: Returns,
    does: str,
    params: str = "input",
    holds: Holds | None = None,
    needs: Needs | None = None,
    bases: str = "",
    saves: str = "",
    view: str | None = None,
    opaque: bool = False,
    tags: str = "",
    call_tags: str = "",
) -> None:
    """Adds a layer: its constructor under all import paths, and its call.

    home: its module in torch.nn.modules. does: the name of its call, shared with its functional form. bases:
    its public or often named base classes besides Module. holds, needs: see the arguments with defaults.
    opaque: its parameters are those of the modules in it.
    """
    cls = path.rpartition(".")[2]
    page = f"generated/{path}.html"
    names = " ".join(a.partition("=")[0] for a in arguments.split())
    build = constructor(path, arguments, (*bases.split(), MODULE), holds, needs, opaque)
    paths = path, f"torch.nn.modules.{cls}", f"torch.nn.modules.{home}.{cls}"
    op(*paths, params=names, source=page, returns=build, grad="cut", tags=f"layer pure {tags}")
    initialises(path, names, build, page)
    op(
        f"{path}.__call__",
        f"{path}.forward",
        name=does,
        params=f"self {params}",
        source=page,
        returns=call,
        view=view,
        saves=saves,
        tags=call_tags,
    )


def constructor(
    path: str, arguments: str, bases: tuple[str, ...], holds: Holds | None, needs: Needs | None, opaque: bool
) -> Returns:
    names, defaults = signature(arguments)
    marks: dict[str, object] = {"training": HOLDS, "opaque": True} if opaque else {"training": HOLDS}
    if path.rpartition(".")[2].startswith("Lazy"):
        marks["unborn"] = HOLDS
    kept = tuple(n for n in (name.lstrip("*") for name in names) if n not in UNSTORED)

    def construct(given: Given) -> Outcome:
        full = with_values(given, {**defaults, **given.values})
        values = full.values
        attrs = {name: values.get(name, ANY) for name in kept}
        if holds is not None:
            attrs.update(holds(full))
        broken = tuple(needs(full)) if needs is not None else ()
        return Outcome(Made(Obj(path, attrs, marks=marks, bases=bases)), broken)

    return construct


def initialises(path: str, params: str, build: Returns, page: str) -> None:
    """`super().__init__(...)` in a class of the project: what the constructor would make is put into
    `self`."""

    def returns(given: Given) -> Outcome:
        made = build(given)
        broken = made.broken if isinstance(made, Outcome) else ()
        result = made.result if isinstance(made, Outcome) else made
        if not isinstance(result, Made):
            return Outcome(NONE, broken)
        me, obj = given["self"], result.obj
        effects: tuple[Effect, ...] = tuple(SetAttrOf(me, name, value) for name, value in obj.attrs.items())
        effects += tuple(SetMark(me, name, value) for name, value in obj.marks.items())
        effects += (SetMark(me, "initialised", HOLDS),)
        if obj.items != ():
            effects += (SetItems(me, obj.items, obj.each),)
        return Outcome(NONE, broken, effects)

    op(
        f"{path}.__init__",
        params=f"self {params}",
        returns=returns,
        grad="cut",
        tags="init pure",
        source=page,
    )


def signature(arguments: str) -> tuple[tuple[str, ...], dict[str, Value]]:
    """The names of "a b=1 c=None", and the defaults as values."""
    pairs = [part.partition("=") for part in arguments.split()]
    return tuple(p[0] for p in pairs), {p[0]: literal(ast.literal_eval(p[2])) for p in pairs if p[1]}


def literal(value: object) -> Value:
    match value:
        case bool() | float() | str() | None:
            return Const(value)
        case int():
            return Num(Dim.of(value))
        case tuple():
            return Items(tuple(literal(v) for v in value))
    raise AssertionError(f"{value!r} is no literal of a signature")


def with_values(given: Given, values: Mapping[str, Value]) -> Given:
    return Given(values, given.heap, given.extra, given.defaults, given.regions, given.site)


def by(functional: Returns | str, attributes: str = "", **fixed: Value) -> Returns:
    """A layer's call: its functional form, with attributes of the layer for arguments.

    The functional form is a function, or the path of an op that is looked up when it is first needed. An
    attribute under another name than the argument is written `argument:attribute`; `training` is the mode
    of the layer.
    """
    pairs = tuple(
        (a.partition(":")[0], a.partition(":")[2] or a) for a in attributes.split() if a != "training"
    )
    training = "training" in attributes.split()
    found: list[Returns] = [] if isinstance(functional, str) else [functional]

    def call(given: Given) -> Value | Made | Outcome:
        obj = given.obj()
        if obj is None:
            return ANY
        if not found:
            row = OPS.get(str(functional))
            found.append(row.returns if row is not None else lambda _: Tensor())
        values = dict(fixed)
        for argument, attribute in pairs:
            values[argument] = obj.attrs.get(attribute, ANY)
        if training:
            values["training"] = mode(obj)
        values.update(given.values)
        return found[0](with_values(given, values))

    return call


def part(made: Obj) -> Value:
    """An object inside another: it is put on the heap with the one that holds it."""
    return cast(Value, Made(made))


def submodule(path: str, given: Given, **arguments: Value) -> Value:
    """A layer inside a layer, made with these arguments; dtype and device are those of the outer one."""
    factory = {name: given[name] for name in ("device", "dtype") if name in given}
    outcome = OPS[path].returns(with_values(given, {**factory, **arguments}))
    result = outcome.result if isinstance(outcome, Outcome) else outcome
    return cast(Value, result)


def mode(obj: Obj) -> Value:
    """Whether the layer is in training mode, as the argument that its functional form takes."""
    mark = obj.marks.get("training")
    return Const(True) if mark is HOLDS else Const(False) if mark is FAILS else ANY


def parameter(given: Given, *shape: Dim | None, name: str = "weight") -> Tensor:
    """A fresh parameter; sizes that are not known get symbols of their own."""
    return _held(given, shape, name, True)


def buffer(given: Given, *shape: Dim | None, name: str = "buffer", dtype: str | None = None) -> Tensor:
    return _held(given, shape, name, False, dtype)


def _held(given: Given, shape: Sizes, name: str, learns: bool, dtype: str | None = None) -> Tensor:
    known = tuple(given.fresh(f"{name}{i}") if d is None else d for i, d in enumerate(shape))
    return Tensor(
        known,
        contiguous_strides(known),
        dtype or made_dtype(given),
        made_device(given),
        HOLDS if learns else FAILS,
        HOLDS,
        kind="parameter" if learns else "buffer",
    )


def made_dtype(given: Given) -> str | None:
    """The dtype of what a constructor makes: `dtype=`, or the ambient default."""
    match given.get("dtype", NONE):
        case Dtype(name):
            return name
        case Const(None):
            return given.defaults.get("dtype", "float32")
    return None


def made_device(given: Given) -> str | None:
    match given.get("device", NONE):
        case Device(name):
            return name
        case Const(str(name)):
            return name
        case Const(None):
            return given.defaults.get("device", "cpu")
    return None


def flag(given: Given, name: str) -> bool | None:
    """A bool argument, or the truth of a constant; None where it is not known. Who holds a parameter asked
    for it."""
    if isinstance(given.get(name), Tensor):
        return True
    value = given.const(name, False)
    return None if value is ... else bool(value)


def spread(given: Given, name: str, count: int) -> Sizes:
    """One int for all axes, or one for each; None where unknown."""
    return spread_value(given, given[name], count)


def spread_value(given: Given, value: Value, count: int) -> Sizes:
    dims = given.sizes_of(value)
    if dims is None or len(dims) not in (1, count):
        return (None,) * count
    return dims * count if len(dims) == 1 else dims


def as_items(dims: Sizes) -> Value:
    return Items(tuple(ANY if d is None else Num(d) for d in dims))


def lazy_parts(size: str) -> Holds:
    """What a lazy layer holds before its first call: a size of 0 and parameters of no shape yet."""

    def holds(given: Given) -> dict[str, Value]:
        unborn = Tensor(None, None, made_dtype(given), made_device(given), HOLDS, HOLDS, kind="parameter")
        bias = flag(given, "bias")
        return {
            size: Num(Dim.of(0)),
            "weight": unborn,
            "bias": ANY if bias is None else unborn if bias else NONE,
        }

    return holds


def lazy(
    call: Returns, size: str, axis: Callable[[Tensor], int], holds: Holds, needs: Needs | None = None
) -> Returns:
    """A lazy layer's call: the first one reads `size` off its input and makes the parameters."""

    def first(given: Given) -> Value | Made | Outcome:
        obj, x = given.obj(), given.tensor("input")
        if obj is None or x is None or x.shape is None:
            return Outcome(Tensor(), (), (SetMark(given["self"], "unborn", FAILS),))
        if len(x.shape) <= axis(x) or not x.shape:
            return call(given)
        if obj.attrs.get(size) != Num(Dim.of(0)):
            return call(given)
        asked = with_values(given, {**obj.attrs, **_factory(obj), size: Num(x.shape[axis(x)])})
        attrs = {**obj.attrs, size: asked[size], **holds(asked)}
        born: tuple[Effect, ...] = (SetMark(given["self"], "unborn", FAILS),)
        born += tuple(SetAttrOf(given["self"], n, v) for n, v in attrs.items() if obj.attrs.get(n) != v)
        done = call(with_values(given, {**attrs, **given.values}))
        faults = tuple(needs(asked)) if needs is not None else ()
        if not isinstance(done, Outcome):
            return Outcome(done, faults, born)
        return replace(done, broken=faults or done.broken, effects=(*done.effects, *born))

    return first


def _factory(obj: Obj) -> dict[str, Value]:
    """The dtype and device that a lazy layer was asked to have: those of its parameters to be."""
    unborn = next((v for v in obj.attrs.values() if isinstance(v, Tensor) and v.shape is None), Tensor())
    return {
        "dtype": Dtype(unborn.dtype) if unborn.dtype else ANY,
        "device": Device(unborn.device) if unborn.device else ANY,
    }


def optional(given: Given, wanted: bool | None, *shape: Dim | None, name: str = "bias") -> Value:
    """A parameter that a flag asks for: it, None, or unknown."""
    return ANY if wanted is None else parameter(given, *shape, name=name) if wanted else NONE


def at_least(given: Given, least: int, *names: str) -> tuple[Broken, ...]:
    """The requirement that int arguments are not smaller than `least`."""
    broken: tuple[Broken, ...] = ()
    for name in names:
        for size in given.dims(name) or ():
            if size is not None and size.less_than(Dim.of(least)).holds:
                broken += (Broken("argument", name, wanted=f"at least {least}", got=size),)
    return broken
