"""New tensors: from sizes, from ranges, from python data and numpy arrays, and like another tensor."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.dtype import complex_of, of_python
from torchwise.domain.shape import Shape, contiguous_strides
from torchwise.domain.strides import preserved_strides
from torchwise.domain.value import Const, Items, Num, Pointer, Tensor, Value
from torchwise.domain.verdict import UNKNOWN, Verdict
from torchwise.ops.axis_arguments import (
    device_argument,
    dtype_argument,
    is_none,
    negative_size,
    sizes_of,
)
from torchwise.ops.operands import default_dtype, number_kind
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


def asked_dtype(given: Given, otherwise: str | None) -> str | None:
    asked = dtype_argument(given)
    return otherwise if asked == "" else asked


def from_sizes(given: Given) -> Value | Outcome:
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
    op(
        f"torch.{_name}",
        params=f"*size {OPTIONS}",
        returns=from_sizes,
        grad="leaf",
        source=f"generated/torch.{_name}.html",
        tags="random" if _name.startswith("rand") else "",
    )


def _full(given: Given) -> Value | Outcome:
    """Without a dtype it is that of the value: bool, int64, or the default float."""
    shape = sizes_of(given, "size")
    kind = number_kind(given["fill_value"])
    dtype = asked_dtype(given, None if kind is None else of_python(kind, default_dtype(given)))
    return Outcome(made(given, shape, dtype), negative_size("size", shape or ()))


op(
    "torch.full",
    params=f"size fill_value {OPTIONS}",
    returns=_full,
    grad="leaf",
    source="generated/torch.full.html",
)


def _randint(given: Given) -> Value | Outcome:
    """randint(high, size) or randint(low, high, size)."""
    sizes = sizes_of(given, "size")
    if sizes is None and "size" not in given:
        sizes = sizes_of(given, "high") if not isinstance(given["high"], Num) else None
    return made(given, sizes, asked_dtype(given, "int64"))


op(
    "torch.randint",
    params=f"low high size {OPTIONS}",
    returns=_randint,
    grad="leaf",
    tags="random",
    source="generated/torch.randint.html",
)


def _like(given: Given) -> Value | Outcome:
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
    op(
        f"torch.{_name}",
        params=f"input {OPTIONS}",
        returns=_like,
        grad="leaf",
        source=f"generated/torch.{_name}.html",
        tags="random" if _name.startswith("rand") else "",
    )
op(
    "torch.full_like",
    params=f"input fill_value {OPTIONS}",
    returns=_like,
    grad="leaf",
    source="generated/torch.full_like.html",
)
op(
    "torch.randint_like",
    params=f"input low high {OPTIONS}",
    returns=_like,
    grad="leaf",
    source="generated/torch.randint_like.html",
)


def _new_sized(given: Given) -> Value | Outcome:
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
    op(
        f"Tensor.{_name}",
        params=f"{_params} {OPTIONS}",
        returns=_new_sized,
        grad="leaf",
        source=f"generated/torch.Tensor.{_name}.html",
    )


def _arange(given: Given) -> Value | Outcome:
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


op(
    "torch.arange",
    params=f"start end step {OPTIONS}",
    returns=_arange,
    grad="leaf",
    source="generated/torch.arange.html",
)


def _spaced(given: Given) -> Value | Outcome:
    count = given.dim("steps")
    shape = (given.fresh("steps") if count is None else count,)
    ends = (given["start"], given["end"])
    if any(isinstance(e, Const) and isinstance(e.value, complex) for e in ends):
        return made(given, shape, asked_dtype(given, None))
    return made(given, shape, asked_dtype(given, default_dtype(given)))


op(
    "torch.linspace",
    params=f"start end steps {OPTIONS}",
    returns=_spaced,
    grad="leaf",
    source="generated/torch.linspace.html",
)
op(
    "torch.logspace",
    params=f"start end steps base {OPTIONS}",
    returns=_spaced,
    grad="leaf",
    source="generated/torch.logspace.html",
)


def _eye(given: Given) -> Value | Outcome:
    n = given.dim("n")
    m = n if is_none(given, "m") else given.dim("m")
    shape = tuple(given.fresh(name) if size is None else size for name, size in (("n", n), ("m", m)))
    return made(given, shape, asked_dtype(given, default_dtype(given)))


op("torch.eye", params=f"n m {OPTIONS}", returns=_eye, grad="leaf", source="generated/torch.eye.html")


def _count(dtype: str | None) -> Returns:
    """randperm(n), bartlett_window(n): one axis of length n."""

    def returns(given: Given) -> Value | Outcome:
        n = given.dim("n")
        shape = (given.fresh("n") if n is None else n,)
        return made(given, shape, asked_dtype(given, dtype or default_dtype(given)))

    return returns


op(
    "torch.randperm",
    params=f"n {OPTIONS}",
    returns=_count("int64"),
    grad="leaf",
    tags="random",
    source="generated/torch.randperm.html",
)
for _name in ("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"):
    op(
        f"torch.{_name}",
        params=f"n periodic {OPTIONS}",
        returns=_count(None),
        grad="leaf",
        source=f"generated/torch.{_name}.html",
    )


def _indices(given: Given) -> Value | Outcome:
    """Two rows of indices, of as many elements as a triangle has."""
    return made(given, (Dim.of(2), given.fresh("triangle")), asked_dtype(given, "int64"))


for _name in ("tril_indices", "triu_indices"):
    op(
        f"torch.{_name}",
        params=f"row col offset {OPTIONS}",
        returns=_indices,
        grad="leaf",
        source=f"generated/torch.{_name}.html",
    )


def contents(given: Given, value: Value, depth: int = 0) -> tuple[Shape | None, frozenset[str]]:
    """The shape and the kinds of numbers of nested lists."""
    kind = number_kind(value)
    if kind is not None:
        return (), frozenset((kind,))
    items: tuple[Value, ...] | None = None
    if isinstance(value, Items):
        items = value.items
    elif isinstance(value, Pointer) and value.to in given.heap and given.heap[value.to].cls == "list":
        items = given.heap[value.to].items
    if items is None or depth > 8:
        return None, frozenset(("?",))
    if not items:
        return (Dim.of(0),), frozenset()
    parts = [contents(given, item, depth + 1) for item in items[:2000]]
    kinds = frozenset().union(*[k for _, k in parts])
    inner = parts[0][0]
    if inner is None or any(shape != inner for shape, _ in parts):
        return None, kinds
    return (Dim.of(len(items)), *inner), kinds


def _tensor(given: Given) -> Value | Outcome:
    """Copies python data: floats get the default dtype, ints int64."""
    value = given["data"]
    if isinstance(value, Tensor):
        return made_for(given, value, value.shape, asked_dtype(given, value.dtype))
    shape, kinds = contents(given, value)
    dtype = None
    if "?" not in kinds:
        order = ("complex", "float", "int", "bool")
        first = next((kind for kind in order if kind in kinds), "float")
        dtype = of_python(first, default_dtype(given))
    device = "cpu" if "?" not in kinds else None
    return made(given, shape, asked_dtype(given, dtype), device)


op(
    "torch.tensor",
    params=f"data {OPTIONS}",
    returns=_tensor,
    grad="leaf",
    source="generated/torch.tensor.html",
)


def _as_tensor(given: Given) -> Value | Outcome:
    """A tensor of the right dtype and device is handed back as it is."""
    value = given["data"]
    if isinstance(value, Tensor):
        dtype, device = asked_dtype(given, value.dtype), device_argument(given)
        if dtype == value.dtype and device in ("", value.device):
            return value
        return Tensor(value.shape, None, dtype, value.device if device == "" else device)
    return _tensor(given)


op(
    "torch.as_tensor",
    "torch.asarray",
    params=f"data dtype device {OPTIONS.replace('dtype ', '').replace('device ', '')}",
    returns=_as_tensor,
    source="generated/torch.as_tensor.html",
)


def _from_numpy(given: Given) -> Value | Outcome:
    return Tensor(device="cpu")


op(
    "torch.from_numpy",
    params="ndarray",
    returns=_from_numpy,
    grad="leaf",
    tags="numpy",
    source="generated/torch.from_numpy.html",
)
op(
    "torch.frombuffer",
    params=f"buffer {OPTIONS}",
    returns=lambda given: made(given, (given.fresh("buffer"),), asked_dtype(given, None)),
    grad="leaf",
    source="generated/torch.frombuffer.html",
)


def _scalar_tensor(given: Given) -> Value | Outcome:
    return made(given, (), asked_dtype(given, default_dtype(given)))


op("torch.scalar_tensor", params=f"s {OPTIONS}", returns=_scalar_tensor, grad="leaf", source="torch.html")


def _typed(dtype: str | None) -> Returns:
    """The old constructors: torch.Tensor(2, 3) has uninitialised sizes, torch.Tensor([2, 3]) has data."""

    def returns(given: Given) -> Value | Outcome:
        value = given["size"]
        found = dtype or default_dtype(given)
        if isinstance(value, Tensor):
            return Tensor(value.shape, None, found, "cpu")
        if isinstance(value, Pointer) or (
            isinstance(value, Items) and value.kind == "tuple" and not _spread(value)
        ):
            shape, _ = contents(given, value)
            return Tensor(shape, None if shape is None else contiguous_strides(shape), found, "cpu")
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


def _complex(given: Given) -> Value | Outcome:
    from torchwise.ops.operands import together

    all_ = together(given, ("real", "imag"))
    return Outcome(all_.tensor(None if all_.dtype is None else complex_of(all_.dtype)), all_.broken)


op("torch.complex", params="real imag", returns=_complex, source="generated/torch.complex.html")
op("torch.polar", params="real imag", returns=_complex, saves="result", source="generated/torch.polar.html")


def _sampled(given: Given) -> Value | Outcome:
    """bernoulli, poisson: like the input."""
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    return Tensor(
        x.shape,
        x.strides if x.shape is not None and x.strides == contiguous_strides(x.shape) else None,
        x.dtype,
        x.device,
    )


op(
    "torch.bernoulli",
    "Tensor.bernoulli",
    params="input p generator",
    returns=_sampled,
    tags="random",
    source="generated/torch.bernoulli.html",
)
op(
    "torch.poisson",
    params="input generator",
    returns=_sampled,
    tags="random",
    source="generated/torch.poisson.html",
)


def _normal(given: Given) -> Value | Outcome:
    """normal(mean, std, size), or means and deviations as tensors."""
    sizes = sizes_of(given, "size")
    if sizes is not None:
        return made(given, sizes, asked_dtype(given, default_dtype(given)))
    from torchwise.ops.operands import together

    all_ = together(given, ("mean", "std"))
    return Tensor(all_.shape, None, all_.dtype, all_.device)


op(
    "torch.normal",
    params=f"mean std size {OPTIONS}",
    returns=_normal,
    tags="random",
    grad="leaf",
    source="generated/torch.normal.html",
)


def _multinomial(given: Given) -> Value | Outcome:
    """(N, classes) -> (N, samples) of indices."""
    x, samples = given["input"], given.dim("num_samples")
    if not isinstance(x, Tensor) or x.shape is None:
        return Tensor(dtype="int64")
    if len(x.shape) not in (1, 2):
        return Outcome(
            Tensor(), (Broken("rank", "input", wanted="1-d or 2-d", got=f"{len(x.shape)}-d", because=x),)
        )
    shape = (*x.shape[:-1], given.fresh("samples") if samples is None else samples)
    return Tensor(shape, contiguous_strides(shape), "int64", x.device)


op(
    *("torch.multinomial", "Tensor.multinomial"),
    params="input num_samples replacement generator",
    returns=_multinomial,
    grad="cut",
    tags="random",
    source="generated/torch.multinomial.html",
)


# In-place samplers and fillers of a tensor.
for _name, _params in (
    ("normal_", "self mean std generator"),
    ("uniform_", "self from to generator"),
    ("random_", "self from to generator"),
    ("bernoulli_", "self p generator"),
    ("exponential_", "self lambd generator"),
    ("geometric_", "self p generator"),
    ("cauchy_", "self median sigma generator"),
    ("log_normal_", "self mean std generator"),
    ("fill_", "self value"),
    ("zero_", "self"),
    ("copy_", "self src non_blocking"),
    ("fill_diagonal_", "self fill_value wrap"),
):
    op(
        f"Tensor.{_name}",
        *((f"torch.{_name}",) if _name in ("fill_", "zero_") else ()),
        params=_params,
        returns=lambda given: given["self"],
        inplace="self",
        source=f"generated/torch.Tensor.{_name}.html",
    )
