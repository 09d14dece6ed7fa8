"""Nested tensors with the jagged layout: two of them go together where they were given the same offsets."""

from __future__ import annotations

from torchwise.domain.nature import JAGGED, made_at, word_of
from torchwise.domain.value import Named, Tensor, Value
from torchwise.ops.spec import Given, op

PAGE = "nested.html"


def _nested(given: Given) -> Value:
    """Each call makes offsets of its own, even for the same lengths."""
    jagged = given.get("layout") == Named("torch.jagged")
    nature = made_at(JAGGED, given.site) if jagged and given.site is not None else None
    return Tensor(nature=nature)


for _name in ("nested_tensor", "as_nested_tensor"):
    op(
        f"torch.nested.{_name}",
        params="tensor_list dtype layout device requires_grad pin_memory",
        returns=_nested,
        source=PAGE,
    )


def _from_parts(given: Given) -> Value:
    offsets = given.tensor("offsets")
    known = offsets is not None and word_of(offsets.nature) == JAGGED
    return Tensor(nature=offsets.nature if known and offsets is not None else None)


op(
    "torch.nested.nested_tensor_from_jagged",
    params="values offsets lengths jagged_dim min_seqlen max_seqlen",
    returns=_from_parts,
    source=PAGE,
)


def _offsets(given: Given) -> Value:
    source = given.tensor("self")
    return Tensor(dtype="int64", nature=source.nature if source is not None else None)


op("Tensor.offsets", params="self", returns=_offsets, grad="cut", source=PAGE)
