"""Short forms of `op` for the usual spellings; the page of the documentation follows from the name."""

from __future__ import annotations

from typing import Any

from torchwise.domain.value import Value
from torchwise.ops.spec import Broken, Made, Op, Outcome, Returns, op

Answer = Value | Made | Outcome  # what a row gives for one call


def both(name: str, params: str, returns: Returns, /, *more: str, **how: Any) -> Op:
    """A function of torch that is a method of tensors too."""
    spellings = (f"torch.{name}", f"Tensor.{name}", *more)
    return op(*spellings, params=params, returns=returns, source=f"generated/torch.{name}.html", **how)


def method(name: str, params: str, returns: Returns, /, *more: str, **how: Any) -> Op:
    """A method of tensors."""
    spellings = (f"Tensor.{name}", *more)
    return op(*spellings, params=params, returns=returns, source=f"generated/torch.Tensor.{name}.html", **how)


def function(path: str, params: str, returns: Returns, /, *more: str, **how: Any) -> Op:
    """A function by its full path."""
    return op(path, *more, params=params, returns=returns, source=f"generated/{path}.html", **how)


def result_and_broken(answer: Answer) -> tuple[Value | Made, tuple[Broken, ...]]:
    """The two parts of an answer, in whichever form a row gives it."""
    return (answer.result, answer.broken) if isinstance(answer, Outcome) else (answer, ())
