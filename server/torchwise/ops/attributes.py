"""What a tensor says of itself: `x.shape`, `x.dtype`, `x.size(0)`, `x.item()`; and `x.backward()`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchwise.domain.device import is_choice
from torchwise.domain.dim import Dim
from torchwise.domain.dtype import FLOATS, SMALL_FLOATS, is_complex
from torchwise.domain.effects import Backward, LookInto, Update
from torchwise.domain.nature import ASKED, LEAF_GRADIENT, MEAN, PER_EXAMPLE, WEIGHTED, made_at
from torchwise.domain.shape import channels_last, is_contiguous, numel
from torchwise.domain.value import ANY, Const, Device, Dtype, Items, Named, Num, ShapeOf, Some, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict
from torchwise.ops.arithmetic import truth
from torchwise.ops.arrays import array_over
from torchwise.ops.axis_arguments import axis_of, is_none
from torchwise.ops.items import size_at
from torchwise.ops.python_types import tensor_or_not
from torchwise.ops.rows import Answer, both, function, method
from torchwise.ops.spec import Broken, Given, Outcome, op

NONE = Const(None)


def attribute(*names: str, returns: Callable[[Given, Tensor], Value], view: bool = False) -> None:
    def of_tensor(given: Given) -> Value:
        x = given["self"]
        return returns(given, x) if isinstance(x, Tensor) else ANY

    op(
        *[f"Tensor.{name}" for name in names],
        params="self",
        returns=of_tensor,
        view="self" if view else None,
        grad="cut",
        tags="attribute",
        source=f"generated/torch.Tensor.{names[0]}.html"
        if names[0] in ("grad", "is_leaf", "is_cuda")
        else "tensors.html",
    )


def sizes(x: Tensor) -> Value:
    if x.shape is not None:
        return Items(tuple([Num(size) for size in x.shape]), "size")
    return ShapeOf(x.id) if x.id is not None else ANY


def _rank(x: Tensor) -> Value:
    return Some("int") if x.shape is None else Num(Dim.of(len(x.shape)))


def _count(x: Tensor) -> Value:
    return Some("int") if x.shape is None else Num(numel(x.shape))


def _on(*kinds: str) -> Callable[[Given, Tensor], Value]:
    def returns(given: Given, x: Tensor) -> Value:
        return Some("bool") if x.device is None else Const(x.device.partition(":")[0] in kinds)

    return returns


attribute("shape", returns=lambda given, x: sizes(x))
attribute("ndim", returns=lambda given, x: _rank(x))
attribute("dtype", returns=lambda given, x: ANY if x.dtype is None else Dtype(x.dtype))
attribute("device", returns=lambda given, x: ANY if x.device is None else Device(x.device))
attribute("is_cuda", returns=_on("cuda"))
attribute("is_cpu", returns=_on("cpu"))
attribute("is_mps", returns=_on("mps"))
attribute("is_meta", returns=_on("meta"))
attribute("requires_grad", returns=lambda given, x: truth(x.requires_grad))
attribute("is_leaf", returns=lambda given, x: truth(x.leaf))
attribute("is_sparse", "is_quantized", "is_mkldnn", "is_nested", returns=lambda given, x: Some("bool"))
attribute("itemsize", "nbytes", returns=lambda given, x: Some("int"))
attribute("layout", returns=lambda given, x: ANY)
attribute("output_nr", "_version", "_base", returns=lambda given, x: ANY)
attribute("grad_fn", returns=lambda given, x: NONE if x.leaf.holds else ANY)
attribute("data", returns=lambda given, x: _bare(x), view=True)


def _bare(x: Tensor) -> Tensor:
    made = Tensor(x.shape, x.strides, x.dtype, x.device, FAILS, HOLDS)
    return made.but(kind="state") if x.kind == "state" else made


def _grad(given: Given) -> Value:
    """None, or a tensor like its owner. Which of the two is for the rules to tell."""
    x = given["self"]
    if not isinstance(x, Tensor) or x.storage is None or not x.leaf.holds:
        return ANY
    site = x.storage.of("grad")
    return Tensor(x.shape, None, x.dtype, x.device, FAILS, HOLDS, site, site, nature=LEAF_GRADIENT)


method("grad", "self", _grad, tags="attribute", grad="cut")


def _size(given: Given) -> Answer:
    """size() is the shape, size(dim) one length of it."""
    x = given["self"]
    if not isinstance(x, Tensor):
        return ANY
    if is_none(given, "dim"):
        return sizes(x)
    if x.shape is None:
        at = given.int("dim")
        return Some("int") if x.id is None or at is None else size_at(ShapeOf(x.id), at)
    axis = axis_of(given, "dim", len(x.shape))
    if isinstance(axis, Broken):
        return Outcome(Some("int"), (axis,))
    if not x.shape:
        return Outcome(
            Some("int"), (Broken("dim-range", "dim", wanted="no axis", got=given.dim("dim"), because=x),)
        )
    return Some("int") if axis is None else Num(x.shape[axis])


method("size", "self dim", _size, grad="cut")


def _stride(given: Given) -> Answer:
    x = given["self"]
    if not isinstance(x, Tensor) or x.strides is None or x.shape is None:
        return ANY if is_none(given, "dim") else Some("int")
    if is_none(given, "dim"):
        return Items(tuple([Num(step) for step in x.strides]))
    axis = axis_of(given, "dim", len(x.shape))
    if isinstance(axis, Broken):
        return Outcome(Some("int"), (axis,))
    return Some("int") if axis is None or not x.shape else Num(x.strides[axis])


method("stride", "self dim", _stride, grad="cut")


def _of_tensor(answer: Callable[[Tensor], Value]) -> Callable[[Given], Value]:
    def returns(given: Given) -> Value:
        x = given["self"]
        return answer(x) if isinstance(x, Tensor) else ANY

    return returns


method("dim", "self", _of_tensor(_rank), "Tensor.ndimension", grad="cut")
both("numel", "self", _of_tensor(_count), "Tensor.nelement", grad="cut")


def _length(given: Given) -> Answer:
    """len(x): the first axis."""
    x = given["self"]
    if not isinstance(x, Tensor):
        return ANY
    if x.shape is None:
        return Some("int") if x.id is None else size_at(ShapeOf(x.id), 0)
    if not x.shape:
        return Outcome(Some("int"), (Broken("rank", "self", wanted="1-d or more", got="0-d", because=x),))
    return Num(x.shape[0])


op("Tensor.__len__", params="self", returns=_length, grad="cut", source="tensors.html")


def scalar_kind(dtype: str | None) -> str | None:
    """The python type of one element."""
    if dtype is None:
        return None
    if dtype in FLOATS or dtype in SMALL_FLOATS:
        return "float"
    return "bool" if dtype == "bool" else "complex" if is_complex(dtype) else "int"


def _item(given: Given) -> Answer:
    """Reads one element; only a tensor of one element has one."""
    x = given["self"]
    if not isinstance(x, Tensor):
        return ANY
    kind = scalar_kind(x.dtype)
    value: Value = ANY if kind is None else Some(kind, x.id)
    if x.shape is not None and numel(x.shape).same_as(1).fails and all(s.number is not None for s in x.shape):
        return Outcome(value, (Broken("one-element", "self", wanted=1, got=numel(x.shape), because=x),))
    return value


method("item", "self", _item, grad="cut", tags="sync")
for _python, _kind in (
    ("float", "float"),
    ("int", "int"),
    ("bool", "bool"),
    ("complex", "complex"),
    ("index", "int"),
):

    def _converted(given: Given, kind: str = _kind) -> Answer:
        found = _item(given)
        x = given["self"]
        value = Some(kind, x.id if isinstance(x, Tensor) else None)
        return Outcome(value, found.broken) if isinstance(found, Outcome) else value

    op(
        f"Tensor.__{_python}__",
        params="self",
        returns=_converted,
        grad="cut",
        tags="sync",
        source="tensors.html",
    )


def _list(given: Given) -> Value:
    """Nested lists of numbers; one number of a tensor without axes."""
    x = given["self"]
    if isinstance(x, Tensor) and x.shape == ():
        kind = scalar_kind(x.dtype)
        return ANY if kind is None else Some(kind, x.id)
    return Some("list", x.id) if isinstance(x, Tensor) and x.shape is not None else ANY


method("tolist", "self", _list, grad="cut", tags="sync")


def _numpy(given: Given) -> Answer:
    """Not of a tensor that requires grad, and not of one on another device, unless forced."""
    x = given["self"]
    if not isinstance(x, Tensor):
        return ANY
    broken = []
    if given.const("force", False) is False:
        if x.requires_grad.holds:
            broken.append(Broken("requires-grad", "self", wanted="detached", got="requires grad", because=x))
        if x.device is not None and x.device != "cpu":
            broken.append(Broken("device", "self", wanted="cpu", got=x.device, because=x))
    return Outcome(array_over(x), tuple(broken))


method("numpy", "self force", _numpy, grad="cut", tags="numpy")
op("Tensor.__array__", params="self dtype", returns=_numpy, grad="cut", tags="numpy", source="tensors.html")


def _is_contiguous(given: Given) -> Value:
    x, form = given["self"], given.get("memory_format")
    if not isinstance(x, Tensor):
        return Some("bool")
    if form == Named("torch.channels_last"):
        last = None if x.shape is None or len(x.shape) != 4 else channels_last(x.shape)
        return Some("bool") if last is None or x.strides is None or x.strides != last else Const(True)
    return (
        truth(is_contiguous(x.shape, x.strides))
        if form is ANY and "memory_format" not in given
        else Some("bool")
    )


method("is_contiguous", "self memory_format", _is_contiguous, grad="cut")


def _is_kind(test: Callable[[str], bool]) -> Callable[[Given], Value]:
    def returns(given: Given) -> Value:
        x = given["self"]
        return Some("bool") if not isinstance(x, Tensor) or x.dtype is None else Const(test(x.dtype))

    return returns


for _name, _test in (
    ("is_floating_point", lambda dtype: dtype in FLOATS or dtype in SMALL_FLOATS),
    ("is_complex", is_complex),
    ("is_signed", lambda dtype: not dtype.startswith("uint") and dtype != "bool"),
):
    both(_name, "self", _is_kind(_test), grad="cut")
function(
    "torch.is_tensor",
    "obj",
    lambda given: tensor_or_not(given, given["obj"]),
    grad="cut",
)
method("element_size", "self", lambda given: Some("int"), grad="cut")
method("get_device", "self", lambda given: Some("int"), grad="cut")
method("data_ptr", "self", lambda given: Some("int"), grad="cut")


def not_one(given: Given, x: Value, param: str) -> tuple[Broken, ...]:
    """A tensor that has no implied gradient: it certainly has more than one element, or none."""
    if not isinstance(x, Tensor) or (x.shape is None and x.nature != PER_EXAMPLE):
        return ()
    count = numel(x.shape) if x.shape is not None else given.fresh("n")
    known = not count.hidden or x.nature == PER_EXAMPLE
    if (count.number is not None and count.number != 1) or (count.number is None and known):
        return (Broken("one-element", param, wanted=1, got=count, because=x),)
    return ()


def _backward(given: Given) -> Outcome:
    """Only a tensor of one element has an implied gradient."""
    x = given["self"]
    keep = given.const("retain_graph", None)
    if keep is None:
        keep = given.const("create_graph", False)
    broken = not_one(given, x, "self") if is_none(given, "gradient") else ()
    into = None if is_none(given, "inputs") else given["inputs"]
    return Outcome(NONE, broken, (Backward(x, keep=keep is not False, into=into),))


method("backward", "self gradient retain_graph create_graph inputs", _backward, grad="cut")


def _requires_grad_(given: Given) -> Answer:
    """The tensor itself, which from here on does or does not require grad."""
    x, wanted = given["self"], given.const("requires_grad", True)
    if not isinstance(x, Tensor):
        return x
    verdict = UNKNOWN if wanted is ... else Verdict.of(bool(wanted))
    broken: tuple[Broken, ...] = ()
    if verdict.holds and x.dtype is not None and scalar_kind(x.dtype) not in ("float", "complex"):
        broken = (Broken("dtype", "self", wanted="floating point or complex", got=x.dtype, because=x),)
    if verdict.fails and x.leaf.fails:
        broken = (
            Broken("argument", "requires_grad", message="only a leaf can stop requiring grad", because=x),
        )
    becomes = x if x.leaf.fails else replace(x, requires_grad=verdict)
    if (
        verdict.holds
        and x.leaf.holds
        and x.requires_grad.fails
        and x.nature in (None, MEAN, WEIGHTED)
        and given.site is not None
    ):
        becomes = becomes.but(nature=made_at(ASKED, given.site))
    return Outcome(becomes, broken, (Update(x, becomes),))


method("requires_grad_", "self requires_grad", _requires_grad_)
method("requires_grad=", "self requires_grad", _requires_grad_)


def _retained(given: Given) -> Outcome:
    """From here on the result keeps its gradient, as a leaf does."""
    x = given["self"]
    kept = isinstance(x, Tensor) and x.kind == "tensor"
    return Outcome(NONE, (), (Update(x, x.but(kind="retaining")),) if kept else ())  # type: ignore[attr-defined]


def _hooked(given: Given) -> Outcome:
    return Outcome(ANY, (), (LookInto(given["hook"], "register_hook"),))


method("retain_grad", "self", _retained, grad="cut")
method("register_hook", "self hook", _hooked, grad="cut")


# Of a dtype and of a device


def _dtype_is(test: Callable[[str], bool]) -> Callable[[Given], Value]:
    return lambda given: Const(test(x.name)) if isinstance(x := given["self"], Dtype) else Some("bool")


for _name, _test in (
    ("is_floating_point", lambda dtype: dtype in FLOATS or dtype in SMALL_FLOATS),
    ("is_complex", is_complex),
    ("is_signed", lambda dtype: not dtype.startswith("uint") and dtype != "bool"),
):
    op(
        f"dtype.{_name}",
        params="self",
        returns=_dtype_is(_test),
        grad="cut",
        tags="attribute",
        source="tensor_attributes.html",
    )


def _device_type(given: Given) -> Value:
    device = given["self"]
    if not isinstance(device, Device) or is_choice(device.name):
        return Some("str")
    return Const(device.name.partition(":")[0])


op(
    "device.type",
    params="self",
    returns=_device_type,
    grad="cut",
    tags="attribute",
    source="tensor_attributes.html",
)
