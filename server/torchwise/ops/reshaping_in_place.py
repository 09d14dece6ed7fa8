"""Methods that change the shape of a tensor itself: `t_`, `squeeze_`, `unsqueeze_`, `resize_`, `set_`.

No element is written: the tensor becomes another view of its memory under all its names.
"""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.effects import Update
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import Tensor
from torchwise.ops.axis_arguments import sizes_of
from torchwise.ops.rows import Answer, method, result_and_broken
from torchwise.ops.spec import OPS, Broken, Given, Outcome, Returns


def becoming(computed: Returns) -> Returns:
    """The tensor gets the shape and the strides that the function of the same name would give."""

    def returns(given: Given) -> Answer:
        x = given["input"]
        made, broken = result_and_broken(computed(given))
        if not isinstance(x, Tensor) or not isinstance(made, Tensor):
            return Outcome(x, broken)
        return updated(x, replace(x, shape=made.shape, strides=made.strides), broken)

    return returns


def updated(x: Tensor, becomes: Tensor, broken: tuple[Broken, ...] = ()) -> Outcome:
    return Outcome(becomes, broken, (Update(x, becomes),))


for _name, _params in (
    ("t", "input"),
    ("transpose", "input dim0 dim1"),
    ("swapaxes", "input axis0 axis1"),
    ("swapdims", "input dim0 dim1"),
    ("squeeze", "input dim"),
    ("unsqueeze", "input dim"),
):
    method(f"{_name}_", _params, becoming(OPS[f"Tensor.{_name}"].returns))


def _resize(given: Given) -> Answer:
    x, shape = given["input"], sizes_of(given, "size")
    if not isinstance(x, Tensor):
        return Tensor()
    strides = None if shape is None else contiguous_strides(shape)
    return updated(x, replace(x, shape=shape, strides=strides))


def _resize_as(given: Given) -> Answer:
    x, other = given["input"], given["other"]
    if not isinstance(x, Tensor):
        return Tensor()
    return updated(x, replace(x, shape=other.shape if isinstance(other, Tensor) else None, strides=None))


def _set(given: Given) -> Answer:
    x = given["input"]
    return (
        updated(x, replace(x, shape=None, strides=None, storage=None)) if isinstance(x, Tensor) else Tensor()
    )


method("resize_", "input *size", _resize)
method("resize_as_", "input other", _resize_as)
method("set_", "input source storage_offset size stride", _set)
