"""New tensors: from sizes, from ranges, from python data and numpy arrays, and like another tensor."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import ALL, category, of_python, promote
from torchwise.domain.shape import Shape, contiguous_strides
from torchwise.domain.strides import preserved_strides
from torchwise.domain.value import Const, Items, Many, Num, Pointer, Some, Tensor, Value
from torchwise.domain.verdict import FAILS, UNKNOWN, Verdict
from torchwise.ops.axis_arguments import (
    device_argument,
    dtype_argument,
    is_none,
    negative_size,
    sizes_of,
)
from torchwise.ops.iterables import count_of
from torchwise.ops.operands import default_dtype, number_kind
from torchwise.ops.rows import Answer, function, method
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

LEAF = {"grad": "leaf", "source": "torch.html"}
OPTIONS = "out dtype layout device requires_grad pin_memory memory_format generator names"


def made(given: Given, shape: Shape | None, dtype: str | None, device: str | None = "cpu") -> Tensor:
    """A contiguous tensor with the options of the call."""
    asked = device_argument(given)
    found = given.defaults.get("device", device or "cpu") if asked == "" else asked
    if asked == "" and device is None:
        found = None
    strides = None if shape is None else contiguous_strides(shape)
    return Tensor(shape, strides, dtype, found, requires_grad(given))


def requires_grad(given: Given) -> Verdict:
    wanted = given.const("requires_grad", False)
    return UNKNOWN if wanted is ... else Verdict.of(bool(wanted))


def leaf_requires_grad(given: Given, made: Tensor) -> Verdict:
    """Of what a call makes of nothing; whole numbers that were asked to require grad raise."""
    wanted = requires_grad(given) if made.requires_grad.unknown else made.requires_grad
    return UNKNOWN if wanted.holds and made.dtype is not None and category(made.dtype) < 2 else wanted


def asked_dtype(given: Given, otherwise: str | None) -> str | None:
    asked = dtype_argument(given)
    return otherwise if asked == "" else asked


def from_sizes(given: Given) -> Answer:
    """zeros(2, 3), zeros((2, 3)), zeros(x.shape)."""
    shape = sizes_of(given, "size")
    if shape is None and "size" not in given:
        shape = ()
    broken = negative_size("size", shape or ())
    if (
        shape is not None
        and given.int("size") is None
        and any(isinstance(v, Tensor) for v in given.list("size") or ())
    ):
        shape = None
    return Outcome(made(given, shape, asked_dtype(given, default_dtype(given))), broken)


for _name in ("zeros", "ones", "empty", "rand", "randn"):
    function(
        f"torch.{_name}",
        f"*size {OPTIONS}",
        from_sizes,
        grad="leaf",
        tags="random" if _name.startswith("rand") else "",
    )


def _full(given: Given) -> Answer:
    """Without a dtype it is that of the value: bool, int64, or the default float."""
    shape = sizes_of(given, "size")
    kind = number_kind(given["fill_value"])
    dtype = asked_dtype(given, None if kind is None else of_python(kind, default_dtype(given)))
    return Outcome(made(given, shape, dtype), negative_size("size", shape or ()))


function("torch.full", f"size fill_value {OPTIONS}", _full, grad="leaf")


def _randint(given: Given) -> Answer:
    """randint(high, size) or randint(low, high, size)."""
    sizes = sizes_of(given, "size")
    if sizes is None and "size" not in given:
        sizes = sizes_of(given, "high") if not isinstance(given["high"], Num) else None
    return made(given, sizes, asked_dtype(given, "int64"))


function("torch.randint", f"low high size {OPTIONS}", _randint, grad="leaf", tags="random")


def _like(given: Given) -> Answer:
    """The same shape, dtype and device, and strides if it is dense, unless the call says otherwise."""
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor(None, None, asked_dtype(given, None), None, requires_grad(given))
    strides = None if x.shape is None or x.strides is None else preserved_strides(x.shape, x.strides)
    device = device_argument(given)
    return Tensor(
        x.shape,
        strides,
        asked_dtype(given, x.dtype),
        x.device if device == "" else device,
        requires_grad(given),
    )


for _name in ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"):
    function(
        f"torch.{_name}",
        f"input {OPTIONS}",
        _like,
        grad="leaf",
        tags="random" if _name.startswith("rand") else "",
    )
function("torch.full_like", f"input fill_value {OPTIONS}", _like, grad="leaf")
function("torch.randint_like", f"input low high {OPTIONS}", _like, grad="leaf")


def _new_sized(given: Given) -> Answer:
    """x.new_zeros(2, 3): dtype and device of x."""
    x = given["self"]
    shape = sizes_of(given, "size")
    if not isinstance(x, Tensor):
        return Tensor()
    return made_for(given, x, shape, asked_dtype(given, x.dtype))


def made_for(given: Given, x: Tensor, shape: Shape | None, dtype: str | None) -> Tensor:
    device = device_argument(given)
    strides = None if shape is None else contiguous_strides(shape)
    return Tensor(shape, strides, dtype, x.device if device == "" else device, requires_grad(given))


for _name in ("new_zeros", "new_ones", "new_empty", "new_full"):
    _params = "self size fill_value" if _name == "new_full" else "self *size"
    method(_name, f"{_params} {OPTIONS}", _new_sized, grad="leaf")


def _arange(given: Given) -> Answer:
    """arange(end), arange(start, end), arange(start, end, step): as many steps as fit before the end."""
    start, end = given.get("start", Num(Dim.of(0))), given["end"]
    if "end" not in given:
        start, end = Num(Dim.of(0)), start
    step = given.get("step", Num(Dim.of(1)))
    kinds = [number_kind(v) for v in (start, end, step)]
    otherwise = None
    if None not in kinds:
        otherwise = "int64" if all(kind in ("int", "bool") for kind in kinds) else default_dtype(given)
    shape: Shape | None = (given.fresh("arange"),)
    if isinstance(start, Num) and isinstance(end, Num) and isinstance(step, Num) and step.dim.number:
        count = steps(start.dim, end.dim, step.dim)
        if count.number is not None and count.number < 0:
            return Outcome(
                Tensor(), (Broken("argument", "end", wanted="on the side of the step", got=end.dim),)
            )
        shape = (count,)
    return made(given, shape, asked_dtype(given, otherwise))


def steps(start: Dim, end: Dim, step: Dim) -> Dim:
    """How many steps from start fit before end: the quotient, rounded up."""
    return -((start - end) // step)


function("torch.arange", f"start end step {OPTIONS}", _arange, grad="leaf")


def _spaced(given: Given) -> Answer:
    count = given.dim("steps")
    shape = (given.fresh("steps") if count is None else count,)
    ends = (given["start"], given["end"])
    if any(isinstance(e, Const) and isinstance(e.value, complex) for e in ends):
        return made(given, shape, asked_dtype(given, None))
    return made(given, shape, asked_dtype(given, default_dtype(given)))


function("torch.linspace", f"start end steps {OPTIONS}", _spaced, grad="leaf")
function("torch.logspace", f"start end steps base {OPTIONS}", _spaced, grad="leaf")


def _eye(given: Given) -> Answer:
    n = given.dim("n")
    m = n if is_none(given, "m") else given.dim("m")
    shape = tuple(given.fresh(name) if size is None else size for name, size in (("n", n), ("m", m)))
    return made(given, shape, asked_dtype(given, default_dtype(given)))


function("torch.eye", f"n m {OPTIONS}", _eye, grad="leaf")


def _count(dtype: str | None) -> Returns:
    """randperm(n), bartlett_window(n): one axis of length n."""

    def returns(given: Given) -> Answer:
        n = given.dim("n")
        shape = (given.fresh("n") if n is None else n,)
        return made(given, shape, asked_dtype(given, dtype or default_dtype(given)))

    return returns


function("torch.randperm", f"n {OPTIONS}", _count("int64"), grad="leaf", tags="random")
for _name in ("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"):
    function(f"torch.{_name}", f"n periodic {OPTIONS}", _count(None), grad="leaf")


def _indices(given: Given) -> Answer:
    """Two rows of indices, of as many elements as a triangle has."""
    return made(given, (Dim.of(2), given.fresh("triangle")), asked_dtype(given, "int64"))


for _name in ("tril_indices", "triu_indices"):
    function(f"torch.{_name}", f"row col offset {OPTIONS}", _indices, grad="leaf")


ARRAY, HELD = "numpy.ndarray", "~tensor"  # an array of numpy's is an object that holds a tensor like it


def held(given: Given, value: Value | None) -> Tensor | None:
    """The tensor in an array; for a number of numpy's one without axes; None for everything else."""
    if isinstance(value, Some):
        return Tensor((), (), value.dtype, "cpu", FAILS) if value.dtype not in ("", "?") else None
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    found = obj.attrs.get(HELD) if obj is not None and obj.cls == ARRAY else None
    return found if isinstance(found, Tensor) else None


def contents(given: Given, value: Value, depth: int = 0) -> tuple[Shape | None, frozenset[str]]:
    """The shape of nested lists, and the kinds of the numbers or the dtypes of the arrays in them; "?" among
    those where they are something else.
    """
    array = held(given, value)
    if array is not None:
        return array.shape, frozenset((array.dtype or "?",))
    kind = number_kind(value)
    if kind is not None:
        return (), NOT_NUMBERS if isinstance(value, Some) and value.dtype else frozenset((kind,))
    if isinstance(value, Tensor):
        return value.shape, NOT_NUMBERS
    items, each = elements_of(given, value)
    if depth > 8 or (items is None and each is None):
        return None, NOT_NUMBERS
    if items is None and each is not None:
        inner, kinds = contents(given, each, depth + 1)
        count = count_of(given, value) or given.fresh(f"length{depth}")
        return None if inner is None else (count, *inner), kinds
    if not items:
        return (Dim.of(0),), frozenset()
    parts = [contents(given, item, depth + 1) for item in items[:2000]]
    kinds = frozenset().union(*[k for _, k in parts])
    first = parts[0][0]
    if first is None or any(shape != first for shape, _ in parts):
        return None, kinds
    return (Dim.of(len(items)), *first), kinds


NOT_NUMBERS = frozenset(("?",))


def elements_of(given: Given, value: Value) -> tuple[tuple[Value, ...] | None, Value | None]:
    """The elements of a list or tuple; what covers each of them, where their number is not known."""
    if isinstance(value, Items):
        return value.items, None
    if isinstance(value, Many):
        return None, value.each
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    return (obj.items, obj.each) if obj is not None and obj.cls == "list" else (None, None)


def _tensor(given: Given) -> Answer:
    """Copies python data: floats get the default dtype, ints int64."""
    value = given["data"]
    if isinstance(value, Tensor):
        return made_for(given, value, value.shape, asked_dtype(given, value.dtype))
    array = held(given, value)
    if array is not None:
        return made(given, array.shape, asked_dtype(given, array.dtype))
    shape, kinds = contents(given, value)
    dtype = _of_kinds(kinds, default_dtype(given)) if "?" not in kinds else None
    device = "cpu" if elements_of(given, value) != (None, None) or kinds != NOT_NUMBERS else None
    return made(given, shape, asked_dtype(given, dtype), device)


def _of_kinds(kinds: frozenset[str], default: str) -> str | None:
    """Of numbers of python by their kind, and of arrays by their dtype."""
    found: str | None = default if not kinds else "bool"
    for kind in kinds:
        dtype = kind if kind in ALL else of_python(kind, default)
        found = None if found is None else promote(found, dtype)
    return found


function("torch.tensor", f"data {OPTIONS}", _tensor, grad="leaf")


def _as_tensor(given: Given) -> Answer:
    """A tensor of the right dtype and device is handed back as it is."""
    value = given["data"]
    if isinstance(value, Tensor):
        dtype, device = asked_dtype(given, value.dtype), device_argument(given)
        if dtype == value.dtype and device in ("", value.device):
            return value
        return Tensor(value.shape, None, dtype, value.device if device == "" else device)
    array = held(given, value)
    if array is None or asked_dtype(given, array.dtype) != array.dtype:
        return _tensor(given)
    over = made(given, array.shape, array.dtype)  # the memory is shared
    return Tensor(over.shape, array.strides, over.dtype, over.device, over.requires_grad)


function(
    "torch.as_tensor",
    f"data dtype device {OPTIONS.replace('dtype ', '').replace('device ', '')}",
    _as_tensor,
    "torch.asarray",
)


function(
    "torch.frombuffer",
    f"buffer {OPTIONS}",
    lambda given: made(given, (given.fresh("buffer"),), asked_dtype(given, None)),
    grad="leaf",
)


def _scalar_tensor(given: Given) -> Answer:
    return made(given, (), asked_dtype(given, default_dtype(given)))


op("torch.scalar_tensor", params=f"s {OPTIONS}", returns=_scalar_tensor, grad="leaf", source="torch.html")


def _typed(dtype: str | None) -> Returns:
    """The old constructors: torch.Tensor(2, 3) has uninitialised sizes, torch.Tensor([2, 3]) has data."""

    def returns(given: Given) -> Answer:
        value = given["size"]
        found = dtype or default_dtype(given)
        if isinstance(value, Tensor):
            return Tensor(value.shape, None, found, "cpu")
        if isinstance(value, Pointer) or (
            isinstance(value, Items) and value.kind == "tuple" and not _spread(value)
        ):
            shape, _ = contents(given, value)
            return Tensor(shape, None if shape is None else contiguous_strides(shape), found, "cpu")
        only = value.items[0] if isinstance(value, Items) and len(value.items) == 1 else value
        if not isinstance(only, Num | Items | Many) and number_kind(only) != "int" and "size" in given:
            return Tensor(None, None, found, "cpu")  # an array, say
        shape = sizes_of(given, "size") if "size" in given else (Dim.of(0),)
        return Tensor(shape, None if shape is None else contiguous_strides(shape), found, "cpu")

    return returns


def _spread(value: Items) -> bool:
    """Whether it may be the arguments of the call themselves, rather than one tuple of data."""
    return True


for _name, _dtype in (
    ("Tensor", None),
    ("FloatTensor", "float32"),
    ("DoubleTensor", "float64"),
    ("HalfTensor", "float16"),
    ("BFloat16Tensor", "bfloat16"),
    ("ByteTensor", "uint8"),
    ("CharTensor", "int8"),
    ("ShortTensor", "int16"),
    ("IntTensor", "int32"),
    ("LongTensor", "int64"),
    ("BoolTensor", "bool"),
):
    op(f"torch.{_name}", params="*size", returns=_typed(_dtype), grad="leaf", source="tensors.html")
