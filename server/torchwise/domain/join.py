"""`join`: the least value that covers both of two, where paths meet. `show`: a value in a few words.

Sizes that differ become a hidden symbol, named after the axis and the two shapes, so that no two axes become
equal by joining.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from torchwise.domain.device import either
from torchwise.domain.dim import Dim
from torchwise.domain.dtype import SHORT
from torchwise.domain.value import (
    ANY,
    Any,
    Class,
    Const,
    Device,
    Dtype,
    Func,
    Items,
    Many,
    Method,
    Module,
    Named,
    Num,
    Pointer,
    Shape,
    ShapeOf,
    Slice,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import join as join_verdicts


def join(a: Value, b: Value) -> Value:
    if a is b or a == b:
        return a
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return _tensors(a, b)
    device = _either_device(a, b)
    if device is not None:
        return device
    kinds = _python_kind(a), _python_kind(b)
    if kinds[0] is not None and kinds[0] == kinds[1]:
        same = isinstance(a, Some) and isinstance(b, Some) and a.of == b.of
        dtypes = [v.dtype if isinstance(v, Some) else "" for v in (a, b)]
        dtype = dtypes[0] if dtypes[0] == dtypes[1] else "?"
        return Some(kinds[0], a.of if same and isinstance(a, Some) else None, dtype)
    match a, b:
        case Items(xs), Items(ys) if len(xs) == len(ys) and a.kind == b.kind and a.names == b.names:
            return Items(tuple(join(x, y) for x, y in zip(xs, ys)), a.kind, a.names)
        case Many(x), Many(y) if a.kind == b.kind:
            return Many(join(x, y), a.kind, a.count if a.count == b.count else None)
        case Slice(), Slice():
            crop = a.crop if a.crop == b.crop else None
            return Slice(join(a.start, b.start), join(a.stop, b.stop), join(a.step, b.step), crop)
    return ANY


def _either_device(a: Value, b: Value) -> Device | None:
    """`"cuda"` and `"cpu"`, as text or as devices."""
    names = [v.name if isinstance(v, Device) else v.value if isinstance(v, Const) else None for v in (a, b)]
    if not isinstance(names[0], str) or not isinstance(names[1], str):
        return None
    name = either(names[0], names[1])
    return None if name is None else Device(name)


def _python_kind(value: Value) -> str | None:
    match value:
        case Some(kind):
            return kind
        case Num():
            return "int"
        case Const(constant) if constant is not None and constant is not ...:
            return type(constant).__name__
    return None


def _tensors(a: Tensor, b: Tensor) -> Tensor:
    shape = _shapes(a.shape, b.shape)
    return Tensor(
        shape=shape,
        strides=a.strides if a.strides == b.strides else None,
        dtype=a.dtype if a.dtype == b.dtype else None,
        device=a.device if a.device == b.device else None,
        requires_grad=join_verdicts(a.requires_grad, b.requires_grad),
        leaf=join_verdicts(a.leaf, b.leaf),
        id=a.id if a.id == b.id else None,
        storage=a.storage if a.storage == b.storage else None,
        calls=a.calls | b.calls,
        graph=a.graph if a.graph == b.graph else None,
        nature=a.nature if a.nature == b.nature else None,
        kind=a.kind if a.kind == b.kind else "tensor",
    )


@lru_cache(maxsize=10_000)
def _shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    if a is None or b is None or len(a) != len(b):
        return None
    if a == b:
        return a
    text = "/".join(sorted((repr(a), repr(b))))
    name = "?join" + blake2b(text.encode(), digest_size=6).hexdigest()
    return tuple(x if x == y else Dim.of(f"{name}.{axis}") for axis, (x, y) in enumerate(zip(a, b)))


def show(value: Value) -> str:
    """For hover and messages: "f32[B, 64, H//2, W]", "(3, 4)", "Linear"; "?" where nothing is known."""
    match value:
        case Any():
            return "?"
        case Tensor(shape, _, dtype):
            sizes = "..." if shape is None else ", ".join(map(show_size, shape))
            return f"{SHORT.get(dtype, dtype) if dtype else 'tensor'}[{sizes}]"
        case Num(dim):
            return show_size(dim)
        case Const(constant):
            return "..." if constant is ... else repr(constant)
        case Items(items, kind):
            shown = ", ".join(map(show, items))
            if kind == "list":
                return f"[{shown}]"
            return f"({shown},)" if len(items) == 1 else f"({shown})"
    return _show_rest(value)


def _show_rest(value: Value) -> str:
    match value:
        case Many(each, kind):
            return f"{kind}[{show(each)}]"
        case Dtype(name):
            return f"torch.{name}"
        case Device(name) | Some(name):
            return name
        case ShapeOf():
            return "torch.Size"
        case Slice(start, stop, step):
            parts = ["" if part == Const(None) else show(part) for part in (start, stop, step)]
            return ":".join(parts[:2] if not parts[2] else parts)
        case Named(path) | Module(path) | Method(path):
            return path
        case Class(scope) | Func(scope):
            return scope.rpartition(".")[2]
        case Pointer():
            return "object"
    return "?"


def show_size(size: Dim) -> str:
    return "?" if size.hidden else str(size)
