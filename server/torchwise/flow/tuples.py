"""Tuples: instances of named tuples of the project, and tuples that are taken for tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Items, Value
from torchwise.ops import OPS

if TYPE_CHECKING:
    from torchwise.flow.lookup import ClassFacts
    from torchwise.flow.opcalls import Args


def named_tuple(facts: ClassFacts, args: Args) -> Value:
    if args.open:
        return ANY
    given, fields = iter([v for _, v in args.positional]), facts.fields
    named = {n: v for n, (_, v) in args.named.items()}
    values = [next(given, None) or named.get(n) or (facts.names.get(n, ANY) if d else ANY) for n, d in fields]
    return Items(tuple(values), "record", tuple(n for n, _ in fields))


def is_no_tensor(names: tuple[str, ...], op: str, name: str) -> bool:
    """Whether a method of tensors is asked of the named tuple that an operator gave.

    Plain tuples are asked for methods by code that has looked for them first.
    """
    if op == "record" or not names:
        return False
    return f"Tensor.{name}" in OPS and f"tuple.{name}" not in OPS
