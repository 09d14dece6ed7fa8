"""Determinism: the setting that makes torch refuse operators that may give other numbers each time, and the
operators that write by flat places, which it refuses on every device.
"""

from __future__ import annotations

from torchwise.domain.effects import EnterRegion
from torchwise.domain.value import NONE, Region, Tensor
from torchwise.ops.rows import Answer, both, method
from torchwise.ops.spec import Given, Outcome, op


def _strict(given: Given) -> Outcome:
    """`use_deterministic_algorithms(True)`; with `warn_only=True` nothing is refused."""
    on, warns = given.const("mode"), given.const("warn_only", False)
    mode = "on" if on is True and warns is False else "off" if on is False or warns is True else "unknown"
    return Outcome(NONE, (), (EnterRegion(Region("deterministic", mode, given.site)),))


def _level(given: Given) -> Outcome:
    """Levels 0, 1, 2, also by name."""
    level = given.const("debug_mode")
    mode = "on" if level in (2, "error") else "unknown" if level is ... else "off"
    return Outcome(NONE, (), (EnterRegion(Region("deterministic", mode, given.site)),))


op(
    "torch.use_deterministic_algorithms",
    params="mode warn_only",
    returns=_strict,
    grad="cut",
    tags="pure region",
    source="generated/torch.use_deterministic_algorithms.html",
)
op(
    "torch.set_deterministic_debug_mode",
    params="debug_mode",
    returns=_level,
    grad="cut",
    tags="pure region",
    source="generated/torch.set_deterministic_debug_mode.html",
)


def _placed(given: Given) -> Answer:
    """The input with other numbers at some of its flat places."""
    x = given["input"]
    return Tensor(x.shape, None, x.dtype, x.device) if isinstance(x, Tensor) else Tensor()


both("put", "input index source accumulate", _placed)
method("put_", "input index source accumulate", lambda given: given["input"], inplace="input")
