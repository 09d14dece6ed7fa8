"""Tuples: instances of named tuples of the project, and what is no tensor though it was taken for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import ANY, Items, Tensor, Value
from torchwise.ops import OPS, Op

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def only_guessed(op: Op, owner: Tensor, named: Iterable[str]) -> bool:
    """Whether what was taken for a tensor because of its methods is given what that method of a tensor has
    not.
    """
    return owner.shape is None and not owner.calls and any(name not in op.params for name in named)
