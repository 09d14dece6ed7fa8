"""numpy's arrays, as far as torch meets them: their shape and dtype, and the memory of tensors under them.

An array is an object on the heap that holds a tensor of the same shape, strides and dtype; a number of
numpy's, such as a sum, is a `Some` with a dtype. What dtypes make together stands in `array_dtypes`. An array
of which nothing is known is `Some("ndarray")`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import NUMPY
from torchwise.domain.shape import broadcast, contiguous_strides, numel
from torchwise.domain.strides import preserved_strides
from torchwise.domain.value import (
    ANY,
    Const,
    Items,
    Num,
    Obj,
    Pointer,
    Shape,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import FAILS
from torchwise.ops.array_dtypes import asked, dtype_of, dtype_of_kinds, number_of
from torchwise.ops.array_strides import backward_faults, runs_backwards
from torchwise.ops.axis_arguments import is_none
from torchwise.ops.creation import ARRAY, HELD, contents, held, steps
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer, function
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

UNKNOWN = Some("ndarray")
PAGE = "https://numpy.org/doc/stable/reference/"


def array(shape: Shape | None, dtype: str | None, strides: Shape | None = None) -> Answer:
    if shape is None and dtype is None:
        return UNKNOWN
    flat = contiguous_strides(shape) if shape is not None and strides is None else strides
    return Made(Obj(ARRAY, {HELD: Tensor(shape, flat, dtype, "cpu", FAILS)}))


def laid_out(shape: Shape | None, dtype: str | None, strides: Shape | None) -> Answer:
    """An array whose strides may not be known."""
    if shape is None and dtype is None:
        return UNKNOWN
    return Made(Obj(ARRAY, {HELD: Tensor(shape, strides, dtype, "cpu", FAILS)}))


def kept(x: Tensor, dtype: str | None) -> Answer:
    """An array of its own in the layout of another one, as dense as can be."""
    known = x.shape is not None and x.strides is not None and not runs_backwards(x)
    strides = preserved_strides(x.shape, x.strides) if known else None
    return laid_out(x.shape, dtype, strides)


def is_whole(x: Tensor) -> bool:
    """Whether it certainly lies in memory in the order of its axes, without gaps."""
    return x.shape is not None and x.strides == contiguous_strides(x.shape)


def broadcast_of(shapes: Sequence[Shape | None]) -> Shape | None:
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    shape, clash = broadcast(known)
    return None if clash is not None else shape


def number(dtype: str | None) -> Value:
    """A number of numpy's."""
    return ANY if dtype is None else Some(number_of(dtype), dtype=dtype)


def result(shape: Shape | None, dtype: str | None) -> Answer:
    """A new array, or a number where it has no axes: numpy gives no arrays of one number."""
    return number(dtype) if shape == () else array(shape, dtype)


def as_array(given: Given, value: Value) -> Tensor | None:
    """What numpy makes of an argument: of an array itself, of numbers in lists an array of them."""
    x = held(given, value)
    if x is not None:
        return x
    shape, kinds = contents(given, value)
    if shape is None or isinstance(value, Tensor):
        return None
    return Tensor(shape, contiguous_strides(shape), dtype_of_kinds(kinds), "cpu", FAILS)


def sizes(given: Given, name: str) -> Shape | None:
    found = given.dims(name)
    if found is None:
        return None
    return tuple(given.fresh(f"{name}{i}") if size is None else size for i, size in enumerate(found))


def of_plain(returns: Returns) -> Returns:
    """numpy turns tensors into arrays on its own, which torch refuses for those that require grad."""

    def checked(given: Given) -> Answer:
        made = returns(given)
        for name, value in given.values.items():
            tensor = next(
                (
                    t
                    for t in (value, *_elements(given, value))
                    if isinstance(t, Tensor) and t.requires_grad.holds
                ),
                None,
            )
            if tensor is not None:
                outcome = made if isinstance(made, Outcome) else Outcome(made)
                fault = Broken("requires-grad", name, wanted="detached", got="requires grad", because=tensor)
                return Outcome(outcome.result, (*outcome.broken, fault), outcome.effects)
        return made

    return checked


def _elements(given: Given, value: Value) -> tuple[Value, ...]:
    if isinstance(value, Items):
        return value.items
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    if obj is None or obj.cls != "list":
        return ()
    return obj.items if obj.items is not None else (obj.each,) if obj.each is not None else ()


def numpy(names: str, params: str, returns: Returns, tags: str = "pure") -> None:
    """Functions of numpy that have the same row."""
    for name in names.split():
        _row(f"numpy.{name}", params, of_plain(returns), tags)


def method(names: str, params: str, returns: Returns, tags: str = "pure") -> None:
    """Methods of arrays."""
    for name in names.split():
        _row(f"{ARRAY}.{name}", f"self {params}", returns, tags)


def _row(path: str, params: str, returns: Returns, tags: str) -> None:
    page = f"{PAGE}generated/{path}.html"
    op(path, params=params, returns=returns, grad="cut", tags=tags, source=page, name=path)


# New arrays


def _filled(given: Given) -> Answer:
    return array(sizes(given, "shape") if "shape" in given else (), asked(given, "float64"))


numpy("zeros ones empty", "shape dtype order", _filled)


def _full(given: Given) -> Answer:
    filled = as_array(given, given["fill_value"])
    return array(sizes(given, "shape"), asked(given, None if filled is None else filled.dtype))


numpy("full", "shape fill_value dtype order", _full)


def _arange(given: Given) -> Answer:
    start, stop = given.get("start", Num(Dim.of(0))), given["stop"]
    if "stop" not in given:
        start, stop = Num(Dim.of(0)), start
    step = given.get("step", Num(Dim.of(1)))
    ends = (start, stop, step)
    kinds = [number_kind(value) for value in ends]
    plain = all(not isinstance(v, Some) or v.dtype in ("", "int64", "float64") for v in ends)
    dtype = None if None in kinds or not plain else "float64" if "float" in kinds else "int64"
    size = given.fresh("arange")
    if isinstance(start, Num) and isinstance(stop, Num) and isinstance(step, Num) and step.dim.number:
        size = steps(start.dim, stop.dim, step.dim)
        size = Dim.of(0) if size.number is not None and size.number < 0 else size
    return array((size,), asked(given, dtype))


def _spaced(given: Given) -> Answer:
    """Between two numbers, or between those of two arrays: then the steps are the first axis."""
    ends = [held(given, given[name]) for name in ("start", "stop")]
    if given.const("retstep", False) is not False or given.int("axis", 0) != 0:
        return ANY
    inner: Shape | None = ()
    if ends != [None, None]:
        inner = broadcast_of([x.shape if x is not None else () for x in ends])
    elif any(number_kind(given[name]) is None for name in ("start", "stop")):
        inner = None
    count = given.dim("num", 50)
    steps = given.fresh("num") if count is None else count
    return array(None if inner is None else (steps, *inner), asked(given, "float64"))


def _eye(given: Given) -> Answer:
    n = given.dim("N")
    m = n if is_none(given, "M") else given.dim("M")
    shape = tuple(given.fresh(name) if size is None else size for name, size in (("n", n), ("m", m)))
    return array(shape, asked(given, "float64"))


numpy("arange", "start stop step dtype", _arange)
numpy("linspace", "start stop num endpoint retstep dtype axis", _spaced)
numpy("geomspace", "start stop num endpoint dtype axis", _spaced)
numpy("logspace", "start stop num endpoint base dtype axis", _spaced)
numpy("eye tri", "N M k dtype", _eye)
numpy("identity", "N dtype", _eye)


def _like(given: Given) -> Answer:
    x = as_array(given, given["a"])
    if "shape" in given:
        return array(sizes(given, "shape"), asked(given, None if x is None else x.dtype))
    return array(None, asked(given, None)) if x is None else kept(x, asked(given, x.dtype))


numpy("zeros_like ones_like empty_like", "a dtype order subok shape", _like)
numpy("full_like", "a fill_value dtype order subok shape", _like)


def _array(given: Given) -> Answer:
    """Of numbers in lists, of another array, or of a tensor."""
    value = given["object"]
    x = value if isinstance(value, Tensor) else held(given, value)
    if "ndmin" in given:
        return array(None, asked(given, None if x is None else x.dtype))
    if x is not None:
        return kept(x, asked(given, x.dtype))
    shape, kinds = contents(given, value)
    return array(shape, asked(given, dtype_of_kinds(kinds)))


def _contiguous(given: Given) -> Answer:
    x = held(given, given["object"])
    if x is None or (is_whole(x) and x.shape):
        return _asarray(given)
    return array((Dim.of(1),) if x.shape == () else x.shape, asked(given, x.dtype))


def _asarray(given: Given) -> Answer:
    x = held(given, given["object"])
    same = x is not None and asked(given, x.dtype) == x.dtype and not runs_backwards(x)
    return given["object"] if same else _array(given)


numpy("array", "object dtype copy", _array)
numpy("asarray asanyarray", "object dtype order", _asarray)
numpy("ascontiguousarray", "object dtype", _contiguous)


def _astype(given: Given) -> Answer:
    x = held(given, given["self"])
    dtype = dtype_of(given["dtype"])
    if x is None or x.shape == ():
        return array(None, dtype) if x is None else number(dtype)
    return kept(x, dtype)


method("astype", "dtype order", _astype)


def _attribute(names: str, returns: Callable[[Tensor], Value]) -> None:
    def of_array(given: Given) -> Value:
        x = held(given, given["self"])
        return ANY if x is None else returns(x)

    page = f"{PAGE}arrays.ndarray.html"
    for name in names.split():
        op(f"{ARRAY}.{name}", params="self", returns=of_array, tags="attribute", grad="cut", source=page)


def _sizes_of(x: Tensor) -> Value:
    return ANY if x.shape is None else Items(tuple(map(Num, x.shape)))


_attribute("shape", _sizes_of)
_attribute("ndim", lambda x: Some("int") if x.shape is None else Num(Dim.of(len(x.shape))))
_attribute("size", lambda x: Some("int") if x.shape is None else Num(numel(x.shape)))
_attribute("itemsize nbytes", lambda x: Some("int"))
_attribute("dtype", lambda x: ANY)
method("__len__", "", lambda given: _length(given))
method("__setitem__", "index value", lambda given: Const(None), tags="")
method("tolist", "", lambda given: ANY if _plain(given) is not ANY else Some("list"))
method("item", "*args", lambda given: _plain(given, True))
method("tobytes", "order", lambda given: Some("bytes"))


def _plain(given: Given, of_any: bool = False) -> Value:
    """One element as a number of python's."""
    x = held(given, given["self"])
    return ANY if x is None or x.dtype is None or not (of_any or x.shape == ()) else Some(number_of(x.dtype))


def _length(given: Given) -> Answer:
    x = held(given, given["self"])
    return Num(x.shape[0]) if x is not None and x.shape else Some("int")


def _number_or_array(dtype: str) -> Returns:
    """`np.float32(x)`: of a number a number, of all else an array."""

    def returns(given: Given) -> Answer:
        x = as_array(given, given["x"])
        return ANY if x is None else number(dtype) if x.shape == () else kept(x, dtype)

    return returns


for _name, _dtype in NUMPY.items():
    if _dtype != "bool" or _name == "bool_":
        numpy(_name, "x", _number_or_array(_dtype))


# Between arrays and tensors


def _from_numpy(given: Given) -> Answer:
    """A tensor over the memory of the array."""
    x = held(given, given["ndarray"])
    if x is None:
        return Tensor(device="cpu")
    return Outcome(Tensor(x.shape, x.strides, x.dtype, "cpu", FAILS), backward_faults("ndarray", x))


function("torch.from_numpy", "ndarray", _from_numpy, grad="leaf", tags="numpy")


def array_over(x: Tensor) -> Made:
    """`x.numpy()`: an array over the memory of a tensor."""
    return Made(Obj(ARRAY, {HELD: x}))
