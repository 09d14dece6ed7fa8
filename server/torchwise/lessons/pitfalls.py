"""Which rules speak of an API: those that ask for calls of it by name."""

from __future__ import annotations

import functools
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType

from torchwise.rules import all_rules
from torchwise.rules.rule import Rule


def rules_about(symbol: str) -> tuple[Rule, ...]:
    """`torch.nn.functional.cross_entropy` is spoken of by the rules that ask for calls to `cross_entropy`."""
    return _by_name().get(symbol.rpartition(".")[2], ())


@functools.cache
def _by_name() -> Mapping[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = defaultdict(list)
    for rule in all_rules():
        module = sys.modules[rule.check.__module__]
        functions = [value for value in vars(module).values() if isinstance(value, FunctionType)]
        own = [each.__code__ for each in functions if each.__module__ == module.__name__]
        for name in dict.fromkeys(name for code in own for name in _asked(code)):
            found[name].append(rule)
    return {name: tuple(rules) for name, rules in found.items()}


def _asked(code: CodeType) -> Iterator[str]:
    """The names given to `calls_to`, as far as they stand in the code itself."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _asked(constant)
        elif "calls_to" in code.co_names:
            yield from (each for each in _strings(constant) if each.isidentifier())


def _strings(constant: object) -> Iterator[str]:
    if isinstance(constant, str):
        yield constant
    elif isinstance(constant, (tuple, frozenset)):
        yield from (each for each in constant if isinstance(each, str))
