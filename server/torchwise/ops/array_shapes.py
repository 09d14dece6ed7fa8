"""What numpy does to arrays as torch does to tensors: the shapes come from torch's rows."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.value import ANY, NONE, Items, Many, Num, Obj, Some, Tensor, Value
from torchwise.domain.verdict import FAILS
from torchwise.ops.array_dtypes import (
    Convert,
    asked,
    counted,
    floating,
    joint_dtype,
    real,
)
from torchwise.ops.array_strides import backwards
from torchwise.ops.arrays import (
    PAGE,
    UNKNOWN,
    array,
    as_array,
    kept,
    method,
    number,
    numpy,
)
from torchwise.ops.axis_arguments import is_none
from torchwise.ops.creation import ARRAY, HELD, held
from torchwise.ops.iterables import covering, elements
from torchwise.ops.rows import Answer, result_and_broken
from torchwise.ops.spec import OPS, Given, Made, Returns, op


def of_row(path: str, given: Given, dtype: str | None, **values: Value) -> Answer:
    """The shape that a row of torch gives, with a dtype by numpy's rules."""
    inner = Given(values, given.heap, (), given.defaults, (), given.site)
    made, broken = result_and_broken(OPS[path].returns(inner))
    if not isinstance(made, Tensor) or broken:
        return UNKNOWN if dtype is None else array(None, dtype)
    return Made(Obj(ARRAY, {HELD: replace(made, dtype=dtype, device="cpu", requires_grad=FAILS)}))


def renamed(given: Given, names: str) -> dict[str, Value]:
    """Arguments under the names that torch has for them: "axis>dim" renames one, if it is given."""
    pairs = (entry.partition(">")[::2] for entry in names.split())
    return {new or old: given.values[old] for old, new in pairs if old in given.values}


def one_array(path: str, names: str, dtype: Convert = lambda dtype: dtype) -> Returns:
    def returns(given: Given) -> Answer:
        x = held(given, given.values.get("a", given.values.get("self")))
        if x is None:
            x = as_array(given, given["a"]) if "a" in given else None
        return UNKNOWN if x is None else of_row(path, given, dtype(x.dtype), input=x, **renamed(given, names))

    return returns


SHAPED = (
    ("reshape", "newshape", "Tensor.reshape", "newshape>shape shape"),
    ("expand_dims", "axis", "torch.unsqueeze", "axis>dim"),
    ("squeeze", "axis", "torch.squeeze", "axis>dim"),
    ("swapaxes", "axis1 axis2", "torch.swapaxes", "axis1>axis0 axis2>axis1"),
    ("moveaxis", "source destination", "torch.movedim", "source destination"),
    ("ravel", "order", "torch.ravel", ""),
)
for _name, _params, _path, _names in SHAPED:
    numpy(_name, f"a {_params}", one_array(_path, _names))
method("reshape", "*shape", one_array("Tensor.reshape", "shape"))
method("squeeze", "axis", one_array("torch.squeeze", "axis>dim"))
method("swapaxes", "axis1 axis2", one_array("torch.swapaxes", "axis1>axis0 axis2>axis1"))
method("flatten ravel", "order", one_array("torch.ravel", ""))
numpy("copy", "a order", lambda given: _copied(given, "K"))
method("copy", "order", lambda given: _copied(given, "C"))


def _copied(given: Given, order: str) -> Answer:
    """A function copies the layout too, a method lays the axes out anew."""
    x = as_array(given, given.values.get("a", given["self"]))
    if x is None:
        return UNKNOWN
    if given.const("order", order) != "C":
        return kept(x, x.dtype)
    return number(x.dtype) if isinstance(given["self"], Some) else array(x.shape, x.dtype)


def _flipped(axes: tuple[int, ...] | None) -> Returns:
    """A view that walks some axes backwards, or all of them."""

    def returns(given: Given) -> Answer:
        x = held(given, given.values.get("a"))
        if x is None or x.shape is None:
            return UNKNOWN
        every = tuple(map(Dim.of, axes if axes is not None else range(len(x.shape))))
        asked = every if axes is not None or is_none(given, "axis") else given.dims("axis") or (None,)
        numbers = [None if dim is None else dim.number for dim in asked]
        known = [n % len(x.shape) for n in numbers if n is not None and x.shape]
        strides = backwards(x.strides, known) if len(known) == len(numbers) else None
        return Made(Obj(ARRAY, {HELD: replace(x, strides=strides, requires_grad=FAILS)}))

    return returns


numpy("flip", "a axis", _flipped(None))
numpy("fliplr", "a", _flipped((1,)))
numpy("flipud", "a", _flipped((0,)))


def _transpose(given: Given) -> Answer:
    """All axes the other way round, or in the order that is asked for."""
    x = held(given, given.values.get("a", given.values.get("self")))
    if x is None:
        return UNKNOWN
    if is_none(given, "axes"):
        return of_row("Tensor.T", given, x.dtype, self=x)
    return of_row("torch.permute", given, x.dtype, input=x, dims=given["axes"])


numpy("transpose", "a axes", _transpose)
method("transpose", "*axes", _transpose)
op(
    f"{ARRAY}.T",
    params="self",
    returns=_transpose,
    tags="attribute",
    grad="cut",
    source=f"{PAGE}arrays.ndarray.html",
)


def reduced(path: str, dtype: Convert) -> Returns:
    """Over all axes, or along some."""

    def returns(given: Given) -> Answer:
        x = as_array(given, given.values.get("a", given["self"]))
        if "out" in given and given["out"] != NONE:
            return given["out"]
        if x is None:
            return ANY if is_none(given, "axis") else UNKNOWN
        found = asked(given, dtype(x.dtype))
        every = is_none(given, "axis")
        if every and not given.const("keepdims", False):
            return number(found)
        if every:
            ones = (Dim.of(1),) * len(x.shape or ())
            return ANY if x.shape is None or given.const("keepdims") is ... else array(ones, found)
        floats = replace(x, dtype="float64")  # torch is stricter about dtypes
        made = of_row(path, given, found, input=floats, **renamed(given, "axis>dim keepdims>keepdim"))
        return as_number(made, found)

    return returns


def as_number(made: Answer, dtype: str | None) -> Answer:
    """Numpy gives no arrays without axes."""
    x = made.obj.attrs[HELD] if isinstance(made, Made) else None
    return number(dtype) if isinstance(x, Tensor) and x.shape == () else made


REDUCED: tuple[tuple[str, str, Convert], ...] = (
    ("sum prod", "torch.sum", counted),
    ("mean", "torch.mean", floating),
    ("std var", "torch.mean", lambda dtype: real(floating(dtype))),
    ("max min", "torch.amax", lambda dtype: dtype),
    ("argmax argmin", "torch.argmax", lambda dtype: "int64"),
    ("any all", "torch.any", lambda dtype: "bool"),
)
for _names, _path, _dtype in REDUCED:
    _more = "dtype out" if _path in ("torch.sum", "torch.mean") else "out"
    numpy(_names, f"a axis {_more} keepdims", reduced(_path, _dtype))
    method(_names, f"axis {_more} keepdims", reduced(_path, _dtype))
numpy("amax amin", "a axis out keepdims", reduced("torch.amax", lambda dtype: dtype))


def several(path: str, dim: int | None) -> Returns:
    """concatenate and its like."""

    def returns(given: Given) -> Answer:
        known = given.list("arrays")
        parts = [as_array(given, part) for part in known or (covering(elements(given, given["arrays"])),)]
        tensors = [part for part in parts if part is not None]
        if not tensors or len(tensors) < len(parts):
            return UNKNOWN
        dtype = joint_dtype([t.dtype for t in tensors])
        same = tuple(replace(t, dtype="float64") for t in tensors)
        several = Items(same) if known is not None else Many(same[0], "list")
        named = {} if dim is None else {"dim": given.get("axis", Num(Dim.of(dim)))}
        return of_row(path, given, dtype, tensors=several, **named)

    return returns


numpy("concatenate", "arrays axis", several("torch.cat", 0))
numpy("stack", "arrays axis", several("torch.stack", 0))
numpy("vstack", "arrays", several("torch.vstack", None))
numpy("hstack", "arrays", several("torch.hstack", None))
numpy("column_stack", "arrays", several("torch.column_stack", None))
