"""Natures that go through arithmetic: yes or no about what has a graph, and weights of classes."""

from __future__ import annotations

from torchwise.domain.nature import HARD, PER_CLASS, made_at, word_of
from torchwise.domain.value import Tensor
from torchwise.ops.spec import Given, Op


def decided(op: Op, given: Given) -> str | None:
    """Of a comparison of what gradients flow to, and of what is counted or averaged of such decisions."""
    asked = [v for n in ("input", "self", "other") if isinstance(v := given.values.get(n), Tensor)]
    if op.name in DECIDES and given.site is not None:
        return made_at(HARD, given.site) if any(v.requires_grad.holds for v in asked) else None
    hard = next((v.nature for v in asked if word_of(v.nature) == HARD), None)
    constant = all(v.requires_grad.fails for v in asked)
    return hard if constant and (op.name in WEIGHS or op.view is not None) else None


DECIDES = frozenset(("gt", "ge", "lt", "le"))
WEIGHS = frozenset((
    "mul", "div", "add", "sub", "neg", "pow", "square", "sqrt", "log", "sum", "mean", "abs",
    "float", "double", "half", "bfloat16", "long", "int", "to", "type", "type_as", "clone", "cpu", "cuda",
    "flatten", "reshape", "bitwise_not", "logical_not", "bitwise_and", "logical_and",
))  # fmt: skip


def per_class(op: Op, given: Given) -> str | None:
    """Weights of classes stay that as long as each is worked on alone; what is looked up in them is none."""
    tensors = [v for v in given.values.values() if isinstance(v, Tensor)]
    natures = [v.nature for v in tensors if word_of(v.nature) == PER_CLASS]
    alone = all(v.shape == () or v.nature in natures for v in tensors)
    return natures[0] if op.name in ONE_BY_ONE and alone else None


ONE_BY_ONE = frozenset((
    "mul", "div", "add", "sub", "pow", "sqrt", "rsqrt", "square", "reciprocal", "log", "exp", "clamp",
    "float", "double", "half", "log1p", "to", "cpu", "cuda", "clone", "detach", "contiguous",
))  # fmt: skip
