"""Puts the same layer to torch and to the tables: what one says of construction and call must be what the
other does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, Const, Dtype, Items, Num, Obj, Pointer, Site, Tensor, Value
from torchwise.domain.verdict import FAILS as OFF
from torchwise.ops import OPS, Given, Made, Outcome

ME = Site("test", 1)


@dataclass
class Case:
    """How a layer is made and called. Tensors among the inputs are torch's own."""

    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    inputs: tuple = ()
    more: dict = field(default_factory=dict)
    train: bool = True


def as_value(thing: object) -> Value:
    """A python or torch value as the interpreter would hand it over."""
    match thing:
        case torch.Tensor():
            shape, strides = (tuple(map(Dim.of, t)) for t in (thing.shape, thing.stride()))
            return Tensor(shape, strides, str(thing.dtype)[6:], thing.device.type)
        case torch.dtype():
            return Dtype(str(thing)[6:])
        case bool() | float() | str() | None:
            return Const(thing)
        case int():
            return Num(Dim.of(thing))
        case tuple() | list():
            return Items(tuple(map(as_value, thing)))
    return ANY


def bound(path: str, args: tuple, kwargs: dict) -> dict[str, Value]:
    params = OPS[path].params
    return {name: as_value(v) for name, v in (*zip(params, args), *kwargs.items())}


def asked(path: str, values: dict[str, Value], heap: dict | None = None) -> Outcome:
    answer = OPS[path].returns(Given(values, heap or {}, site=Site("test", 9)))
    return answer if isinstance(answer, Outcome) else Outcome(answer)


def stored(obj: Obj, site: Site, heap: dict) -> Pointer:
    """An object on the heap, with the objects inside it."""

    def own(value: Value, at: Site) -> Value:
        if isinstance(value, Made):
            return stored(value.obj, at, heap)
        return replace(value, id=at, storage=at) if isinstance(value, Tensor) and value.id is None else value

    attrs = {name: own(v, site.of(name)) for name, v in obj.attrs.items()}
    items = None if obj.items is None else tuple(own(v, site.of(str(i))) for i, v in enumerate(obj.items))
    heap[site] = replace(obj, attrs=attrs, items=items)
    return Pointer(site)


@dataclass
class Judged:
    """One question with both answers. `raised`: torch's exception, or None."""

    raised: Exception | None
    real: object
    outcome: Outcome

    def told(self) -> str:
        broken = [(b.kind, b.param, b.axis, str(b.wanted), str(b.got)) for b in self.outcome.broken]
        return f"torch: {self.raised!r} {_words(self.real)}\ntables: {broken} {_said(self.outcome.result)}"


def _said(value: object) -> str:
    match value:
        case Items(items):
            return str(list(map(_said, items)))
        case Tensor(shape=shape, strides=strides, dtype=dtype):
            return f"{shape} {strides} {dtype}"
    return str(value)


def _words(real: object) -> str:
    if isinstance(real, torch.Tensor):
        return f"{tuple(real.shape)} {real.stride()} {real.dtype}"
    return str([_words(r) for r in real]) if isinstance(real, tuple | list) else type(real).__name__


def tried(function: Callable[[], object]) -> tuple[Exception | None, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return None, function()
        except Exception as error:
            return error, None


def constructed(path: str, case: Case) -> Judged:
    torch.manual_seed(0)
    cls = getattr(torch.nn, path.rpartition(".")[2])
    raised, module = tried(lambda: cls(*case.args, **case.kwargs))
    return Judged(raised, module, asked(path, bound(path, case.args, case.kwargs)))


def called(path: str, case: Case, made: Judged, symbols: tuple[str, ...] = ()) -> Judged:
    """The layer called by both; `symbols` are put for the sizes of the first input."""
    module = made.real
    assert isinstance(module, torch.nn.Module)
    module.train(case.train)
    raised, out = tried(lambda: module(*case.inputs, **case.more))
    heap: dict = {}
    obj = made.outcome.result.obj  # type: ignore[union-attr]
    me = stored(obj if case.train else obj.with_mark("training", OFF), ME, heap)
    values = bound_call(path, case)
    if symbols:
        first = next(iter(values))
        values[first] = symbolic(values[first], symbols)
    return Judged(raised, out, asked(f"{path}.__call__", {**values, "self": me}, heap))


def symbolic(value: Value, symbols: tuple[str, ...]) -> Value:
    """A tensor with symbols for sizes; its strides are known where it is contiguous."""
    assert isinstance(value, Tensor) and value.shape is not None
    shape = tuple(map(Dim.of, symbols))
    flat = value.strides == contiguous_strides(value.shape)
    return replace(value, shape=shape, strides=contiguous_strides(shape) if flat else None)


def bound_call(path: str, case: Case) -> dict[str, Value]:
    params = OPS[f"{path}.__call__"].params[1:]
    return {name: as_value(v) for name, v in (*zip(params, case.inputs), *case.more.items())}


def agree(real: object, value: Value | Made, told: str, names: dict[str, int] | None = None) -> None:
    """Whatever the tables answer must be so; what they leave open may be anything."""
    if isinstance(value, Items):
        assert isinstance(real, tuple | list) and len(real) == len(value.items), told
        for one, other in zip(real, value.items):
            agree(one, other, told, names)
        return
    if value is ANY:
        return
    if value == Const(None):
        assert real is None, told
        return
    assert isinstance(value, Tensor) and isinstance(real, torch.Tensor), told
    sizes = {name: Dim.of(size) for name, size in (names or {}).items()}
    if value.dtype is not None:
        assert value.dtype == str(real.dtype)[6:], f"dtype\n{told}"
    assert_sizes(value.shape, real.shape, sizes, f"shape\n{told}")
    if value.strides is not None and real.numel():
        # the stride of an axis of length 1 is never used
        pairs = [(a, b) for a, b, size in zip(value.strides, real.stride(), real.shape) if size != 1]
        assert_sizes(tuple(a for a, _ in pairs), tuple(b for _, b in pairs), sizes, f"strides\n{told}")


def assert_sizes(answer: tuple | None, real: tuple, sizes: dict, told: str) -> None:
    if answer is None:
        return
    known = [dim.with_names(sizes) if sizes else dim for dim in answer]
    assert len(known) == len(real), told
    for dim, size in zip(known, real):
        assert dim.number == size or dim.number is None, told


def unanswered(value: Value | Made) -> bool:
    """Whether a shape, or a size in it, was left open."""
    if isinstance(value, Items):
        return any(map(unanswered, value.items))
    if isinstance(value, Tensor):
        return value.shape is None or any(d.number is None for d in value.shape)
    return value is ANY


def parameters(obj: Obj, prefix: str = "") -> dict[str, Tensor]:
    """Parameters and buffers of an object that is not on a heap yet."""
    out: dict[str, Tensor] = {}
    for name, value in obj.attrs.items():
        if isinstance(value, Tensor) and value.kind != "tensor":
            out[prefix + name] = value
        elif isinstance(value, Made):
            out |= parameters(value.obj, f"{prefix}{name}.")
    for number, value in enumerate(obj.items or ()):
        if isinstance(value, Made):
            out |= parameters(value.obj, f"{prefix}{number}.")
    return out
