"""Torch as the judge of the op tables: the same call, by a row on abstract values, and by torch itself.

    judge("torch.sum", x, dim=1)

The row must refuse exactly where torch raises, and where it answers, answer as torch does: shape, strides,
dtype and device. Then the same again with symbols for the sizes of the tensors: what the row says of all
sizes must hold for these.
"""

from __future__ import annotations

import importlib
import random
from dataclasses import dataclass
from typing import Any

import torch

import torchwise.ops  # noqa: F401  the rows must be there
from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import (
    Const,
    Device,
    Dtype,
    Items,
    Many,
    Named,
    Num,
    Obj,
    Pointer,
    Site,
    Slice,
    Some,
    Tensor,
    Value,
)
from torchwise.ops.spec import OPS, Given, Made, Op, Outcome

SIZES = (2, 3, 5, 7)  # these get symbols; 0 and 1 stay numbers


@dataclass
class Drawn:
    """A tensor for torch, and how its sizes and strides come about in symbols."""

    real: torch.Tensor
    shape: tuple[Dim, ...]
    strides: tuple[Dim, ...]

    def value(self, symbolic: bool, site: Site) -> Tensor:
        dtype, device = str(self.real.dtype)[6:], str(self.real.device)
        if symbolic:
            return Tensor(self.shape, self.strides, dtype, device, id=site, storage=site)
        shape, strides = tuple(map(Dim.of, self.real.shape)), tuple(map(Dim.of, self.real.stride()))
        return Tensor(shape, strides, dtype, device, id=site, storage=site)


def symbol(size: int) -> Dim:
    return Dim.of(f"s{size}") if size in SIZES else Dim.of(size)


def tensor(
    shape: Any, dtype: torch.dtype = torch.float32, like: random.Random | None = None, high: int = 2
) -> Drawn:
    """Contiguous; in another layout where a random source is given."""
    whole = tuple(map(symbol, shape))
    real = (
        torch.ones(tuple(shape), dtype=dtype)
        if high == 2
        else torch.randint(0, high, tuple(shape), dtype=dtype)
    )
    drawn = Drawn(real, whole, contiguous_strides(whole))
    return drawn if like is None else relaid(drawn, like)


def relaid(drawn: Drawn, r: random.Random) -> Drawn:
    """The same shape, but from a larger, permuted or stepped block of memory."""
    rank = drawn.real.dim()
    if rank == 0 or r.random() < 0.4:
        return drawn
    order = r.sample(range(rank), rank) if r.random() < 0.7 else list(range(rank))
    base = [drawn.real.shape[axis] for axis in order]
    whole = [drawn.shape[axis] for axis in order]
    if r.random() < 0.4:  # cut from something longer
        axis = r.randrange(rank)
        base[axis], whole[axis] = base[axis] + 4, whole[axis] + 4
    back = [order.index(axis) for axis in range(rank)]
    block = torch.ones(base, dtype=drawn.real.dtype).permute(back)
    for axis, size in enumerate(drawn.real.shape):
        block = block.narrow(axis, 0, size)
    block.copy_(drawn.real)
    strides = contiguous_strides(tuple(whole))
    return Drawn(block, drawn.shape, tuple(strides[axis] for axis in back))


class Heap(dict):  # type: ignore[type-arg]
    """Lists of the arguments, as objects."""

    def put(self, obj: Obj) -> Pointer:
        site = Site("test", len(self))
        self[site] = obj
        return Pointer(site)


def abstract(x: Any, symbolic: bool, heap: Heap, names: dict[int, Site]) -> Value:
    match x:
        case Drawn():
            site = names.setdefault(id(x), Site("test", 1000 + len(names)))
            return x.value(symbolic, site)
        case bool() | float() | complex() | str() | None:
            return Const(x)
        case int():
            return Num(Dim.of(x))
        case tuple():
            return Items(tuple(abstract(part, symbolic, heap, names) for part in x))
        case list():
            return heap.put(Obj("list", items=tuple(abstract(part, symbolic, heap, names) for part in x)))
        case slice():
            return Slice(*[abstract(part, symbolic, heap, names) for part in (x.start, x.stop, x.step)])
        case torch.dtype():
            return Dtype(str(x)[6:])
        case torch.device():
            return Device(str(x))
        case torch.memory_format():
            return Named(str(x))
    assert x is ..., f"no abstract value for {x!r}"
    return Const(...)


def concrete(x: Any) -> Any:
    match x:
        case Drawn():
            return x.real
        case tuple() | list():
            return type(x)(concrete(part) for part in x)
    return x


def bind(op: Op, args: list[Value], named: dict[str, Value]) -> dict[str, Value]:
    """Arguments to parameters, as the interpreter does it."""
    bound: dict[str, Value] = {}
    for number, name in enumerate(op.params):
        if name == op.star:
            rest = args[number:]
            if len(rest) == 1 and isinstance(rest[0], Items | Pointer | Many):
                bound[name] = rest[0]
            elif rest:
                bound[name] = Items(tuple(rest))
            break
        if number < len(args):
            bound[name] = args[number]
    return bound | named


def answer(
    path: str, args: tuple[Any, ...], named: dict[str, Any], symbolic: bool
) -> tuple[Outcome, dict[str, Value]]:
    op, heap, names = OPS[path], Heap(), {}
    positional = [abstract(x, symbolic, heap, names) for x in args]
    bound = bind(op, positional, {name: abstract(x, symbolic, heap, names) for name, x in named.items()})
    given = Given(bound, heap, (), {"dtype": "float32", "device": "cpu"}, (), Site("test", 0))
    found = op.returns(given)
    return (found if isinstance(found, Outcome) else Outcome(found)), bound


def function(path: str) -> Any:
    if path.startswith("operator."):
        import operator

        return getattr(operator, path[9:])
    if path.startswith("Tensor."):
        return lambda x, *args, **named: getattr(x, path[7:])(*args, **named)
    found: Any = importlib.import_module(path.partition(".")[0])
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return found


def run(path: str, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Exception | None]:
    try:
        real = concrete(args)
        if path.rpartition(".")[2].endswith("_") or path.startswith(("operator.i", "operator.set")):
            real = tuple(
                x.clone() if isinstance(x, torch.Tensor) and i == 0 and _overlaps(x) else x
                for i, x in enumerate(real)
            )
        return function(path)(*real, **{name: concrete(x) for name, x in named.items()}), None
    except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError) as error:
        return None, error


def _overlaps(x: torch.Tensor) -> bool:
    return 0 in x.stride()


def judge(
    path: str, *args: Any, partial: bool = False, lenient: bool = False, symbols: bool = True, **named: Any
) -> None:
    """`partial`: the row may leave the shape open. `lenient`: it need not see every refusal."""
    call = f"{path}({_shown(args)}, {_shown(named)})"
    found, _ = answer(path, args, named, symbolic=False)
    truth, error = run(path, args, named)
    empty = any(0 in x.real.shape for x in drawn_in((*args, *named.values())))
    if empty:  # torch often does not look at tensors without elements
        lenient = True
    if error is not None:
        assert lenient or found.broken or _of_this_device(error), (
            f"{call}: torch raises {error}, the row gives {shown(found.result)}"
        )
    elif not (empty and found.broken):
        assert not found.broken, f"{call}: torch gives {_real(truth)}, the row says {found.broken}"
        wrong = disagreement(found.result, truth, {}, partial)
        assert not wrong, f"{call}: {wrong}"
    if not symbols:
        return
    general, _ = answer(path, args, named, symbolic=True)
    if error is None and not (empty and general.broken):
        assert not general.broken, (
            f"{call} with symbols: torch gives {_real(truth)}, the row says {general.broken}"
        )
        sizes = {f"s{size}": Dim.of(size) for size in SIZES}
        wrong = disagreement(general.result, truth, sizes, partial=True)
        assert not wrong, f"{call} with symbols: {wrong}"


def drawn_in(x: Any) -> list[Drawn]:
    if isinstance(x, Drawn):
        return [x]
    return [found for part in x for found in drawn_in(part)] if isinstance(x, tuple | list) else []


def _of_this_device(error: Exception) -> bool:
    """Whether only the CPU has no kernel for a dtype, or what indices hold is at fault."""
    if "out of bounds for dimension" in str(error) or "indexing tensors could not be broadcast" in str(error):
        return True
    return any(f"not implemented for '{dtype}'" in str(error) for dtype in ("BFloat16", "Half"))


def _shown(x: Any) -> str:
    match x:
        case Drawn():
            return f"{str(x.real.dtype)[6:]}{tuple(x.real.shape)}/{x.real.stride()}"
        case dict():
            return ", ".join(f"{name}={_shown(part)}" for name, part in x.items())
        case tuple() | list():
            return "(" + ", ".join(map(_shown, x)) + ")"
    return repr(x)


def _real(x: Any) -> str:
    if isinstance(x, torch.Tensor):
        return f"{str(x.dtype)[6:]}{tuple(x.shape)}/{x.stride()}"
    return f"({', '.join(map(_real, x))})" if isinstance(x, tuple | list) else repr(x)


def shown(value: Value | Made) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype}{value.shape}/{value.strides}"
    return repr(value)


def disagreement(value: Value | Made, truth: Any, sizes: dict[str, Dim], partial: bool) -> str:
    """What a value says that is not so; "" where all of it is true."""
    if isinstance(truth, torch.Tensor):
        return _of_tensor(value, truth, sizes, partial)
    if isinstance(value, Items):
        if not isinstance(truth, tuple | list):
            return f"torch gives {_real(truth)}, the row a tuple"
        if len(value.items) != len(truth):
            return f"torch gives {len(truth)} items, the row {len(value.items)}"
        if value.names and _fields(truth) != value.names:
            return f"torch names them {_fields(truth)}, the row {value.names}"
        return next((w for v, t in zip(value.items, truth) if (w := disagreement(v, t, sizes, partial))), "")
    if isinstance(value, Many):
        return next((w for t in truth if (w := disagreement(value.each, t, sizes, True))), "")
    if isinstance(value, Num):
        got = value.dim.with_names(sizes)
        return "" if got.number is None or got.number == truth else f"torch gives {truth}, the row {got}"
    if isinstance(value, Const):
        return "" if value.value == truth else f"torch gives {truth!r}, the row {value.value!r}"
    if isinstance(value, Some):
        return "" if type(truth).__name__ == value.kind else f"torch gives {truth!r}, the row a {value.kind}"
    if isinstance(value, Tensor):
        return f"torch gives {truth!r}, the row a tensor" if not isinstance(truth, tuple) else ""
    return ""


def _fields(truth: Any) -> tuple[str, ...]:
    """The names of a named tuple, in order."""
    return tuple(getattr(type(truth), "__match_args__", ()))


def _of_tensor(value: Value | Made, truth: torch.Tensor, sizes: dict[str, Dim], partial: bool) -> str:
    if not isinstance(value, Tensor):
        return "" if partial else f"torch gives {_real(truth)}, the row {value!r}"
    if value.shape is None:
        if not partial:
            return f"torch gives {_real(truth)}, the row leaves the shape open"
    elif not _agree(value.shape, tuple(truth.shape), sizes):
        return f"torch gives {_real(truth)}, the row the shape {value.shape}"
    # the stride of an axis of length 1 is never used
    steps = [t for size, t in zip(truth.shape, truth.stride()) if size != 1]
    found = [t for size, t in zip(truth.shape, value.strides or ()) if size != 1]
    if value.strides is not None and truth.numel() and not _agree(tuple(found), tuple(steps), sizes):
        return f"torch gives {_real(truth)}, the row the strides {value.strides} of {value.shape}"
    if value.dtype is not None and value.dtype != str(truth.dtype)[6:]:
        return f"torch gives {_real(truth)}, the row the dtype {value.dtype}"
    if value.device is not None and value.device != str(truth.device):
        return f"torch gives {truth.device}, the row {value.device}"
    if not partial and value.dtype is None:
        return f"torch gives {_real(truth)}, the row leaves the dtype open"
    return ""


def _agree(dims: tuple[Dim, ...], numbers: tuple[int, ...], sizes: dict[str, Dim]) -> bool:
    if len(dims) != len(numbers):
        return False
    found = [dim.with_names(sizes).number for dim in dims]
    return all(number is None or number == real for number, real in zip(found, numbers))
