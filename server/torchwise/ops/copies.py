"""The same numbers again: `clone`, `contiguous`, `detach`, and conversions of dtype and device.

A conversion that changes nothing hands back the tensor itself.
"""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.dtype import SPELLINGS, category
from torchwise.domain.effects import Update
from torchwise.domain.shape import Shape, both_same, channels_last, contiguous_strides, is_contiguous
from torchwise.domain.strides import preserved_strides
from torchwise.domain.value import ANY, Const, Device, Dtype, Named, Num, Some, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.axis_arguments import device_argument, device_named, dtype_named, is_none
from torchwise.ops.rows import Answer, both, method
from torchwise.ops.spec import Given, Outcome, Returns, op, plain


def preserved(x: Tensor) -> Shape | None:
    """Strides of a copy that keeps the order of the axes if the memory is dense, as `clone` and `to` do."""
    return None if x.shape is None or x.strides is None else preserved_strides(x.shape, x.strides)


def copied(x: Tensor, form: Value | None = None) -> Tensor:
    """A copy in a memory format: torch.preserve_format, contiguous_format, channels_last."""
    if form in (None, Const(None), Named("torch.preserve_format")):
        return Tensor(x.shape, preserved(x), x.dtype, x.device)
    if x.shape is None:
        return Tensor(None, None, x.dtype, x.device)
    strides: Shape | None = None
    if form == Named("torch.contiguous_format"):
        strides = contiguous_strides(x.shape)
    elif (form == Named("torch.channels_last") and len(x.shape) == 4) or (
        form == Named("torch.channels_last_3d") and len(x.shape) == 5
    ):
        strides = channels_last(x.shape)
    return Tensor(x.shape, strides, x.dtype, x.device)


def _clone(given: Given) -> Answer:
    x = given["input"]
    return copied(x, given.values.get("memory_format")) if isinstance(x, Tensor) else Tensor()


both("clone", "input memory_format", _clone)


def _contiguous(given: Given) -> Answer:
    """The tensor itself where it is contiguous already, else a copy."""
    x, form = given["input"], given.get("memory_format", Named("torch.contiguous_format"))
    if not isinstance(x, Tensor):
        return Tensor()
    if form == Named("torch.contiguous_format"):
        verdict = is_contiguous(x.shape, x.strides)
    else:
        last = None if x.shape is None else channels_last(x.shape)
        known = x.shape is not None and x.strides is not None and last is not None
        verdict = both_same(x.strides, last, x.shape) if known else FAILS  # type: ignore[arg-type]
    return x if verdict.holds else copied(x, form)


method("contiguous", "input memory_format", _contiguous)


def _detach(given: Given) -> Answer:
    x = given["input"]
    made = plain(x)
    return made.but(kind="state") if isinstance(x, Tensor) and x.kind == "state" else made  # type: ignore[attr-defined]


op(
    "torch.detach",
    "Tensor.detach",
    params="input",
    returns=_detach,
    view="input",
    grad="cut",
    source="generated/torch.Tensor.detach.html",
)
op("torch.alias_copy", "torch.detach_copy", params="input", returns=_detach, grad="cut", source="torch.html")


def _detach_(given: Given) -> Answer:
    x = given["input"]
    if not isinstance(x, Tensor):
        return Tensor()
    becomes = replace(x, requires_grad=FAILS, leaf=HOLDS, graph=None)
    return Outcome(becomes, effects=(Update(x, becomes),))


op(
    "torch.detach_",
    "Tensor.detach_",
    params="input",
    returns=_detach_,
    grad="cut",
    source="generated/torch.Tensor.detach_.html",
)


def converted(given: Given, x: Tensor, dtype: str | None, device: str | None) -> Answer:
    """To a dtype and device; "" is as it is, None is not known."""
    new_dtype = x.dtype if dtype == "" else dtype
    new_device = x.device if device == "" else device
    same = new_dtype == x.dtype and (dtype == "" or dtype is not None)
    here = device == "" or (device is not None and new_device == x.device and device != "cuda")
    copy, form = given.const("copy", False), given.values.get("memory_format")
    if same and here and copy is False and form in (None, Const(None), Named("torch.preserve_format")):
        return x
    made = copied(x, form)
    return Tensor(made.shape, made.strides, new_dtype, new_device)


def _to(given: Given) -> Answer:
    """to(dtype), to(device), to(device, dtype), to(other), with the same by name."""
    x = given["self"]
    if not isinstance(x, Tensor):
        return Tensor()
    dtype: str | None = ""
    device: str | None = ""
    for name in ("device", "dtype", "other", "non_blocking", "copy"):
        value = given.values.get(name)
        if value is None or value == Const(None) or _is_bool(value):
            continue
        if isinstance(value, Tensor):
            dtype, device = value.dtype, value.device
        elif dtype_named(value) is not None:
            dtype = dtype_named(value)
        elif isinstance(value, Device | Num) or (isinstance(value, Const) and isinstance(value.value, str)):
            device = device_named(value)
        elif name == "dtype" or value == Some("dtype"):
            dtype = None
        elif value == Some("device") or (name == "device" and dtype_named(given["dtype"]) is not None):
            device = None  # what stands before a dtype is a device
        else:
            dtype = device = None
    return converted(given, x, dtype, device)


def _is_bool(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, bool)


method("to", "self device dtype non_blocking copy memory_format other", _to, name="to")


def _to_dtype(dtype: str) -> Returns:
    def returns(given: Given) -> Answer:
        x = given["self"]
        return converted(given, x, dtype, "") if isinstance(x, Tensor) else Tensor(dtype=dtype)

    return returns


for _name in (
    "float",
    "double",
    "half",
    "bfloat16",
    "int",
    "long",
    "short",
    "bool",
    "cfloat",
    "cdouble",
    "char",
    "byte",
):
    _dtype = {"char": "int8", "byte": "uint8"}.get(_name) or SPELLINGS[_name]
    method(_name, "self memory_format", _to_dtype(_dtype), grad="record" if category(_dtype) > 1 else "cut")


def _to_device(device: str) -> Returns:
    def returns(given: Given) -> Answer:
        x, wanted = given["self"], device
        if not isinstance(x, Tensor):
            return Tensor(device=device)
        if not is_none(given, "device"):
            wanted = device_argument(given) or ""
            if not wanted:
                return Tensor(x.shape, preserved(x), x.dtype, None)
        return converted(given, x, "", wanted)

    return returns


for _name in ("cpu", "cuda"):
    method(
        _name,
        "self memory_format" if _name == "cpu" else "self device non_blocking memory_format",
        _to_device(_name),
    )
method("pin_memory", "self device", lambda given: plain(given["self"]))
method("share_memory_", "self", lambda given: given["self"])


def _type_as(given: Given) -> Answer:
    x, other = given["self"], given["other"]
    if not isinstance(x, Tensor):
        return Tensor()
    known = isinstance(other, Tensor)
    return converted(given, x, other.dtype if known else None, other.device if known else None)  # type: ignore[attr-defined]


method("type_as", "self other", _type_as)


def _type(given: Given) -> Answer:
    """Without an argument it is the name of the tensor's type."""
    x = given["self"]
    if is_none(given, "dtype"):
        return ANY
    if not isinstance(x, Tensor):
        return Tensor()
    value = given["dtype"]
    return converted(given, x, value.name if isinstance(value, Dtype) else dtype_named(value), "")


method("type", "self dtype non_blocking", _type)
