"""numpy's arrays, as far as torch meets them: their shape and dtype, and the memory of tensors under them.

An array is an object on the heap that holds a tensor of the same shape, strides and dtype. Numpy's own rules
are those of dtypes: floats are float64 unless asked otherwise, python numbers never widen an array's floats,
and an int64 meets a float32 in float64. An array of which nothing is known is `Some("ndarray")`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import FLOATS, category, promote
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import (
    ANY,
    Const,
    Items,
    Named,
    Num,
    Obj,
    Pointer,
    Shape,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import FAILS
from torchwise.ops.array_strides import backward_faults, runs_backwards
from torchwise.ops.axis_arguments import dtype_named, is_none
from torchwise.ops.creation import ARRAY, HELD, contents, held, steps
from torchwise.ops.operands import number_kind
from torchwise.ops.rows import Answer, function
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

Convert = Callable[[str | None], str | None]
UNKNOWN = Some("ndarray")
PAGE = "https://numpy.org/doc/stable/reference/"
NUMBERS = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}


def array(shape: Shape | None, dtype: str | None, strides: Shape | None = None) -> Answer:
    if shape is None and dtype is None:
        return UNKNOWN
    flat = contiguous_strides(shape) if shape is not None and strides is None else strides
    return Made(Obj(ARRAY, {HELD: Tensor(shape, flat, dtype, "cpu", FAILS)}))


def asked(given: Given, otherwise: str | None) -> str | None:
    return otherwise if is_none(given, "dtype") else dtype_named(given["dtype"])


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
    """A function of numpy under several names."""
    returns = of_plain(returns)
    spellings = [f"numpy.{name}" for name in names.split()]
    op(
        *spellings,
        params=params,
        returns=returns,
        grad="cut",
        tags=tags,
        source=f"{PAGE}generated/{spellings[0]}.html",
        name=spellings[0],
    )


def method(names: str, params: str, returns: Returns, tags: str = "pure") -> None:
    spellings = [f"{ARRAY}.{name}" for name in names.split()]
    op(
        *spellings,
        params=f"self {params}",
        returns=returns,
        grad="cut",
        tags=tags,
        source=f"{PAGE}generated/{spellings[0]}.html",
        name=spellings[0],
    )


# Dtypes as numpy has them


def floating(dtype: str | None) -> str | None:
    return dtype if dtype is None or category(dtype) > 1 else "float64"


def counted(dtype: str | None) -> str | None:
    return dtype if dtype is None or category(dtype) > 1 else "int64"


def number_of(dtype: str | None) -> str:
    return "float" if dtype is None else ("bool", "int", "float", "complex")[category(dtype)]


def joint_dtype(dtypes: Sequence[str | None]) -> str | None:
    found = dtypes[0]
    for dtype in dtypes[1:]:
        found = None if found is None or dtype is None else numpy_promote(found, dtype)
    return found


def numpy_promote(a: str, b: str) -> str | None:
    """Like torch, but an integer of 32 bits or more makes a small float wide."""
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if category(one) == 1 and other in FLOATS:
            return "float64" if other != "float64" and one not in ("int8", "uint8", "int16") else other
    return promote(a, b)


# New arrays


def _filled(given: Given) -> Answer:
    return array(sizes(given, "shape") if "shape" in given else (), asked(given, "float64"))


numpy("zeros ones empty", "shape dtype order", _filled)
numpy("random.rand random.randn", "*shape", _filled, "pure random")


def _full(given: Given) -> Answer:
    kind = number_kind(given["fill_value"])
    return array(sizes(given, "shape"), asked(given, None if kind is None else NUMBERS[kind]))


def _drawn(dtype: str) -> Returns:
    """Without a size it is one number."""

    def returns(given: Given) -> Answer:
        if not is_none(given, "size"):
            return array(sizes(given, "size"), asked(given, dtype))
        others = [value for name, value in given.values.items() if name not in ("self", "size", "dtype")]
        scalars = all(number_kind(value) is not None for value in others)
        return Some("float" if dtype == "float64" else "int") if scalars else ANY

    return returns


numpy("full", "shape fill_value dtype order", _full)
numpy("random.random random.standard_normal random.random_sample", "size", _drawn("float64"), "pure random")
numpy("random.normal", "loc scale size", _drawn("float64"), "pure random")
numpy("random.uniform", "low high size", _drawn("float64"), "pure random")
numpy("random.randint", "low high size dtype", _drawn("int64"), "pure random")


GENERATOR = "numpy.random.Generator"
numpy("random.default_rng", "seed", lambda given: Made(Obj(GENERATOR)))
for _name, _params, _dtype in (
    ("random", "size dtype", "float64"),
    ("standard_normal", "size dtype", "float64"),
    ("normal", "loc scale size", "float64"),
    ("uniform", "low high size", "float64"),
    ("lognormal", "mean sigma size", "float64"),
    ("gamma", "shape scale size", "float64"),
    ("beta", "a b size", "float64"),
    ("exponential", "scale size", "float64"),
    ("integers", "low high size dtype", "int64"),
    ("poisson", "lam size", "int64"),
):
    op(
        f"{GENERATOR}.{_name}",
        params=f"self {_params}",
        returns=_drawn(_dtype),
        grad="cut",
        tags="pure random",
        source=f"{PAGE}random/generated/{GENERATOR}.{_name}.html",
        name=f"{GENERATOR}.{_name}",
    )


def _arange(given: Given) -> Answer:
    start, stop = given.get("start", Num(Dim.of(0))), given["stop"]
    if "stop" not in given:
        start, stop = Num(Dim.of(0)), start
    step = given.get("step", Num(Dim.of(1)))
    kinds = [number_kind(value) for value in (start, stop, step)]
    dtype = None if None in kinds else "float64" if "float" in kinds else "int64"
    size = given.fresh("arange")
    if isinstance(start, Num) and isinstance(stop, Num) and isinstance(step, Num) and step.dim.number:
        size = steps(start.dim, stop.dim, step.dim)
        size = Dim.of(0) if size.number is not None and size.number < 0 else size
    return array((size,), asked(given, dtype))


def _linspace(given: Given) -> Answer:
    count = given.dim("num", 50)
    return array((given.fresh("num") if count is None else count,), asked(given, "float64"))


def _eye(given: Given) -> Answer:
    n = given.dim("N")
    m = n if is_none(given, "M") else given.dim("M")
    shape = tuple(given.fresh(name) if size is None else size for name, size in (("n", n), ("m", m)))
    return array(shape, asked(given, "float64"))


numpy("arange", "start stop step dtype", _arange)
numpy("linspace", "start stop num endpoint retstep dtype", _linspace)
numpy("eye identity", "N M k dtype", _eye)


def _like(given: Given) -> Answer:
    x = held(given, given["a"])
    return UNKNOWN if x is None else array(x.shape, asked(given, x.dtype))


numpy("zeros_like ones_like empty_like", "a dtype", _like)
numpy("full_like", "a fill_value dtype", _like)


def dtype_of_kinds(kinds: frozenset[str]) -> str | None:
    """The dtype of an array of these kinds of python numbers; of nothing it is float64."""
    if "?" in kinds:
        return None
    return next((NUMBERS[kind] for kind in ("complex", "float", "int", "bool") if kind in kinds), "float64")


def _array(given: Given) -> Answer:
    """Of numbers in lists, of another array, or of a tensor."""
    value = given["object"]
    x = value if isinstance(value, Tensor) else held(given, value)
    if x is not None:
        return array(x.shape, asked(given, x.dtype), None if runs_backwards(x) else x.strides)
    shape, kinds = contents(given, value)
    return array(shape, asked(given, dtype_of_kinds(kinds)))


def _asarray(given: Given) -> Answer:
    x = held(given, given["object"])
    same = x is not None and asked(given, x.dtype) == x.dtype and not runs_backwards(x)
    return given["object"] if same else _array(given)


numpy("array", "object dtype copy", _array)
numpy("asarray ascontiguousarray asanyarray", "object dtype order", _asarray)


def _astype(given: Given) -> Answer:
    x = held(given, given["self"])
    dtype = dtype_named(given["dtype"])
    if isinstance(given["dtype"], Const) and isinstance(given["dtype"].value, str):
        dtype = dtype_named(Named(f"numpy.{given['dtype'].value}"))
    return array(None, dtype) if x is None else array(x.shape, dtype)


method("astype", "dtype order", _astype)


def _attribute(name: str, returns: Callable[[Tensor], Value]) -> None:
    def of_array(given: Given) -> Value:
        x = held(given, given["self"])
        return ANY if x is None else returns(x)

    page = f"{PAGE}arrays.ndarray.html"
    op(f"{ARRAY}.{name}", params="self", returns=of_array, tags="attribute", grad="cut", source=page)


def _sizes_of(x: Tensor) -> Value:
    return ANY if x.shape is None else Items(tuple(map(Num, x.shape)))


_attribute("shape", _sizes_of)
_attribute("ndim", lambda x: Some("int") if x.shape is None else Num(Dim.of(len(x.shape))))
_attribute("size", lambda x: Some("int"))
_attribute("dtype", lambda x: ANY)
method("__len__", "", lambda given: _length(given))
method("__setitem__", "index value", lambda given: Const(None), tags="")
method("tolist", "", lambda given: Some("list"))
method("item", "*args", lambda given: ANY)


def _length(given: Given) -> Answer:
    x = held(given, given["self"])
    return Num(x.shape[0]) if x is not None and x.shape else Some("int")


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
