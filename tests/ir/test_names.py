"""Which names a scope binds, and which it needs from outside."""

from __future__ import annotations

import pytest

from torchwise.ir.lower import lower
from torchwise.ir.nodes import Scope
from torchwise.syntax.source import Source


def scopes(code: str) -> dict[str, Scope]:
    return dict(lower(Source.of(code)).scopes)


def test_parameters_and_all_targets_are_bound() -> None:
    code = """\
def f(a, *b, **c):
    d = e = 1
    for g, *h in i: pass
    with j as k: pass
    import l.m, n as o
    try: pass
    except p as q: pass
    def r(): pass
    class s: pass
    (t := 1)
    u: int
    del v
    w += 1
"""
    assert scopes(code)["f"].stores == frozenset("abcdeghkloqrstuvw")
    assert scopes(code)["f"].mentions == frozenset("ijp")


def test_a_local_name_is_not_mentioned() -> None:
    assert scopes("def f():\n    x = 1\n    return x + y\n")["f"].mentions == {"y"}


def test_what_an_inner_function_needs_may_come_from_the_outer() -> None:
    found = scopes("def f(x):\n    def g():\n        return x, y\n    return g\n")
    assert found["f.g"].mentions == {"x", "y"}
    assert found["f"].mentions == {"y"}


def test_methods_do_not_see_the_names_of_their_class() -> None:
    found = scopes("class A:\n    x = 1\n    def f(self):\n        return x\n")
    assert found["A"].mentions == {"x"}


def test_a_class_may_load_a_name_before_it_binds_it() -> None:
    assert scopes("class A:\n    x = x\n    y = x\n")["A"].mentions == {"x"}


def test_global_names_pass_a_local_of_the_same_name() -> None:
    found = scopes("def f():\n    x = 1\n    def g():\n        global x\n        return x\n    return g\n")
    assert found["f.g"].outer == (("x", "global"),)
    assert "x" not in found["f.g"].stores
    assert found["f"].mentions == {"x"}


def test_names_that_broken_code_may_bind_count_as_bound() -> None:
    assert scopes("def f():\n    x, y = g(\n    return x\n")["f"].stores >= {"x", "y"}


@pytest.mark.parametrize(
    "code", ["return x", "yield x", "x.y", "x[0]", "f(x)", "[x for a in b]", "lambda: x", "x += 1"]
)
def test_loads_anywhere_are_mentioned(code: str) -> None:
    assert "x" in scopes(f"def f():\n    global x\n    {code}\n")["f"].mentions


def test_the_module_names_the_scopes_in_it() -> None:
    found = scopes(
        "f = lambda: 1\ndef g(x=lambda: 2): pass\nclass A:\n    def m(self): pass\nif a:\n    def h(): pass\n"
    )
    assert list(found) == ["<module>", "<lambda>1", "<lambda>2", "g", "A", "A.m", "h"]
    assert found["<module>"].inner == ("<lambda>1", "<lambda>2", "g", "A", "h")
