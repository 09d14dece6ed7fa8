"""einops: rearrange, reduce, repeat and einsum, and the layers of the same names."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides, numel
from torchwise.domain.value import ANY, Const, Items, Num, Obj, Pointer, Shape, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.ops.einops_patterns import Groups, Misfit, lengths_of, number_of, parsed
from torchwise.ops.einsum import DOTS, Equation, contracted
from torchwise.ops.expanding import inserted
from torchwise.ops.reduction import without
from torchwise.ops.rows import Answer, result_and_broken
from torchwise.ops.spec import OPS, Broken, Given, Made, op
from torchwise.ops.views import permuted, refused, reshaped_to, sharing

SOURCE = "https://einops.rocks/api/"
LAYERS = "einops.layers.torch."


def names_given(given: Given) -> dict[str, Dim] | None:
    """Lengths that are given by name; None where one is not known."""
    own = ("tensor", "pattern", "reduction", "self", "input")
    found = {name: value for name, value in given.values.items() if name not in own}
    return {name: v.dim if isinstance(v, Num) else given.fresh(name) for name, v in found.items()}


def arranged(given: Given, how: str) -> Answer:
    """The recipe of einops: divide, reorder, reduce, add axes, merge."""
    value, text = given["tensor"], given["pattern"]
    x = _stacked(given, value)
    if not isinstance(text, Const) or not isinstance(text.value, str) or not isinstance(x, Tensor):
        return Tensor() if isinstance(value, Tensor) else ANY
    pattern = parsed(text.value)
    if pattern.wrong:
        return refused(Broken("einops", "pattern", got=text.value, message=pattern.wrong))
    if x.shape is None:
        return Tensor(None, None, x.dtype, x.device)
    sides = pattern.spread(len(x.shape))
    if sides is None:
        wanted = f"{len(pattern.left)}-d" + (" or more" if (DOTS,) in pattern.left else "")
        return refused(Broken("rank", "tensor", wanted=wanted, got=f"{len(x.shape)}-d", because=x))
    left, right = sides
    known = names_given(given) or {}
    fault = _names_fault(left, right, known, how)
    if fault:
        return refused(Broken("einops", "pattern", got=text.value, message=fault))
    try:
        lengths = lengths_of(left, x.shape, known)
    except Misfit as misfit:
        return refused(Broken("axis", "tensor", str(misfit.axis), misfit.wanted, misfit.got, x))
    return _applied(given, x, left, right, lengths)


def _stacked(given: Given, value: Value) -> Value:
    """A list of tensors is stacked first."""
    if isinstance(value, Items | Pointer):
        return result_and_broken(OPS["torch.stack"].returns(Given({"tensors": value}, given.heap)))[0]  # type: ignore[return-value]
    return value


def _names_fault(left: Groups, right: Groups, known: dict[str, Dim], how: str) -> str:
    one, other = ({n for g in side for n in g} for side in (left, right))
    if how == "rearrange" and one != other:
        return f"`{min(one ^ other)}` stands on one side only"
    if how == "repeat" and one - other:
        return f"`{min(one - other)}` stands on the left only"
    new = {name for name in other - one if number_of(name) is None}
    if how == "repeat" and new - set(known):
        return f"`{min(new - set(known))}` needs a length"
    if how == "reduce" and new:
        return f"`{min(new)}` stands on the right only"
    unused = set(known) - one - other
    return f"`{min(unused)}` is in no axis" if unused else ""


def _applied(given: Given, x: Tensor, left: Groups, right: Groups, lengths: dict[str, Dim]) -> Answer:
    before, after = _flat(left), _flat(right)
    made = _viewed(x, tuple(_length(name, lengths) for name in before)) if _divides(left) else x
    order = [before.index(name) for name in after if name in before]
    gone = [i for i, name in enumerate(before) if name not in after]
    if order + gone != list(range(len(before))):
        made = sharing(permuted(made, order + gone), made)
    if gone:
        made = _reduced(given, made, len(order))
    for at, name in enumerate(after):
        if name not in before:
            made = _widened(made, at, _length(name, lengths))
    if not _divides(right):
        return made if made is not x else x
    return _viewed(made, tuple(numel(_length(name, lengths) for name in group) for group in right))


def _flat(side: Groups) -> list[str]:
    """All names in order; an axis of length 1 is there only once it is merged."""
    return [name for group in side for name in group]


def _length(name: str, lengths: dict[str, Dim]) -> Dim:
    return number_of(name) or lengths[name]


def _divides(side: Groups) -> bool:
    return any(len(group) != 1 for group in side)


def _viewed(x: Tensor, shape: Shape) -> Tensor:
    assert x.shape is not None, "only tensors of known rank are arranged"
    made = reshaped_to(x, x.shape, shape)
    return made if made.storage == x.storage else replace(made, storage=None)


def _reduced(given: Given, x: Tensor, kept: int) -> Tensor:
    """The last axes are reduced away: sums of integers are int64, tests are bool."""
    assert x.shape is not None, "only tensors of known rank are arranged"
    shape = without(x.shape, tuple(range(kept, len(x.shape))), False)
    dtype = x.dtype
    reduction = given.const("reduction")
    if reduction == "sum" and dtype is not None:
        dtype = result_dtype("torch.sum", x)
    elif reduction in ("any", "all"):
        dtype = result_dtype("torch.any", x)
    elif reduction not in ("mean", "max", "min"):
        return Tensor(shape, None, None, x.device)
    return Tensor(shape, contiguous_strides(shape), dtype, x.device)


def result_dtype(path: str, x: Tensor) -> str | None:
    made, _ = result_and_broken(OPS[path].returns(Given({"input": x}, {})))
    return made.dtype if isinstance(made, Tensor) else None


def _widened(x: Tensor, axis: int, size: Dim) -> Tensor:
    """A new axis that is stretched without a copy."""
    made = inserted(x, axis)
    assert made.shape is not None, "only tensors of known rank are arranged"
    shape = (*made.shape[:axis], size, *made.shape[axis + 1 :])
    strides = None if made.strides is None else (*made.strides[:axis], Dim.of(0), *made.strides[axis + 1 :])
    if size.number == 1:
        strides = made.strides
    return Tensor(shape, strides, x.dtype, x.device, storage=x.storage)


def _einsum(given: Given) -> Answer:
    """einsum(a, b, "i j, j k -> i k"): axes have names of any length."""
    items = given.list("tensors_and_pattern") or ()
    text = items[-1] if items else ANY
    if not isinstance(text, Const) or not isinstance(text.value, str):
        return Tensor()
    left, arrow, right = text.value.partition("->")
    if not arrow:
        return refused(Broken("einops", "pattern", got=text.value, message="a pattern has one `->`"))
    equation = Equation(tuple(tuple(term.split()) for term in left.split(",")), tuple(right.split()))
    return contracted(given, equation, items[:-1])


for _name in ("rearrange", "repeat"):

    def _arranged(given: Given, how: str = _name) -> Answer:
        return arranged(given, how)

    op(f"einops.{_name}", params="tensor pattern", returns=_arranged, source=f"{SOURCE}{_name}/")
op(
    "einops.reduce",
    params="tensor pattern reduction",
    returns=lambda given: arranged(given, "reduce"),
    source=f"{SOURCE}reduce/",
)
op(
    "einops.einsum",
    params="*tensors_and_pattern",
    returns=_einsum,
    source=f"{SOURCE}einsum/",
)


def _layer(name: str, how: str) -> None:
    """A layer that keeps pattern and lengths, and puts them to its input."""

    def made(given: Given) -> Answer:
        attrs = {n: v for n, v in given.values.items() if n != "self"}
        return Made(Obj(f"{LAYERS}{name}", attrs, marks={"training": HOLDS}, bases=("torch.nn.Module",)))

    def called(given: Given) -> Answer:
        obj = given.obj()
        if obj is None:
            return Tensor()
        values = {**obj.attrs, "tensor": given["input"]}
        return arranged(Given(values, given.heap, (), given.defaults, given.regions, given.site), how)

    params = "pattern reduction" if how == "reduce" else "pattern"
    op(f"{LAYERS}{name}", params=params, returns=made, source="https://einops.rocks/api/layers/", name=name)
    for call in ("__call__", "forward"):
        path = f"{LAYERS}{name}.{call}"
        op(path, params="self input", returns=called, source="https://einops.rocks/api/layers/", name=how)


_layer("Rearrange", "rearrange")
_layer("Reduce", "reduce")
op("einops.asnumpy", params="tensor", returns=lambda given: ANY, grad="cut", source=SOURCE)
