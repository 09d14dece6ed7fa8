"""Deep and long code: nothing overflows, and what lies too deep is unknown."""

from __future__ import annotations

import pickle
import time

import pytest

from torchwise.ir.lower import lower
from torchwise.ir.nodes import Call, Opaque
from torchwise.ir.printer import print_scope
from torchwise.syntax.source import Source

DEEP = {
    "brackets": "(" * 500 + "x" + ")" * 500,
    "lists": "[" * 500 + "]" * 500,
    "open brackets": "(" * 3000,
    "calls in calls": "f(" * 500 + ")" * 500,
    "not": "not " * 1000 + "x",
    "minus": "-" * 1000 + "x",
    "power": "x ** " * 1000 + "x",
    "conditions": "a if b else " * 1000 + "c",
    "lambdas": "lambda: " * 500 + "x",
    "awaits": "await " * 500 + "x",
    "attributes": "x" + ".a" * 2000,
    "method chains": "x" + ".f()" * 2000,
    "subscripts": "x" + "[0]" * 2000,
    "comparisons": "a" + " < b" * 500,
    "assignments": "a = " * 1000 + "b",
    "comprehensions": "[" * 200 + "x" + " for x in y]" * 200,
    "clauses": "[x " + "for x in y " * 300 + "]",
    "targets": "(" * 300 + "a" + ",)" * 300 + " = x",
    "deletions": "del " + "(" * 300 + "a" + ",)" * 300,
    "ifs": "".join("    " * depth + "if x:\n" for depth in range(300)) + "    " * 300 + "y = 1\n",
    "one-line loops": "".join(" " * depth + "for x in y:\n" for depth in range(300)) + " " * 300 + "y = 1\n",
    "functions": "".join(" " * depth + "def f():\n" for depth in range(300)) + " " * 300 + "y = 1\n",
    "classes": "".join(" " * depth + "class A:\n" for depth in range(300)) + " " * 300 + "y = 1\n",
    "elifs": "if x: y = 0\n" + "".join(f"elif x == {n}: y = {n}\n" for n in range(2000)) + "else: z = 1\n",
    "with items": "with " + ", ".join(f"a as b{n}" for n in range(500)) + ": c",
    "cases": "match x:\n" + "".join(f"  case {n}: y\n" for n in range(1000)),
    "patterns": "match x:\n  case " + "[" * 300 + "a" + "]" * 300 + ": y\n",
    "formats": "f'" + "{x:" * 200 + "}" * 200 + "'",
    "or patterns": "match x:\n  case " + " | ".join(map(str, range(1000))) + ": y\n",
}


@pytest.mark.parametrize("code", DEEP.values(), ids=DEEP.keys())
def test_deep_code_is_lowered_to_something_shallow(code: str) -> None:
    module, again = lower(Source.of(code)), lower(Source.of(code))
    for key, scope in module.scopes.items():
        assert scope == again.scopes[key], "comparing needs no deep recursion"
        assert hash(scope) == hash(again.scopes[key])
        assert print_scope(scope)
        pickle.dumps(scope.body)


def test_a_long_sum_is_lowered_whole() -> None:
    scope = lower(Source.of("x = " + " + ".join(["a"] * 5000))).scopes["<module>"]
    assert sum(isinstance(instr, Call) for instr in scope.body) == 4999


def test_a_long_disjunction_is_lowered_whole() -> None:
    scope = lower(Source.of("x = " + " or ".join(["a"] * 5000))).scopes["<module>"]
    assert not any(isinstance(instr, Opaque) for instr in scope.body)


def test_long_chains_of_methods_of_the_usual_length_are_lowered_whole() -> None:
    scope = lower(Source.of("x" + ".f()" * 40)).scopes["<module>"]
    assert sum(isinstance(instr, Call) for instr in scope.body) == 40


def test_what_is_too_deep_still_says_which_names_it_may_bind() -> None:
    scope = lower(Source.of(DEEP["elifs"])).scopes["<module>"]
    assert "z" in scope.stores


def test_a_large_table_takes_time_in_proportion() -> None:
    started = time.process_time()
    lower(Source.of("x = [" + ", ".join(map(str, range(50_000))) + "]"))
    assert time.process_time() - started < 3
