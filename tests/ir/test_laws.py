"""What holds for every text, valid or not: lowering never fails, and knows nothing of what was lowered
before."""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchwise.ir import nodes as ir
from torchwise.ir.lower import lower
from torchwise.ir.module import Module
from torchwise.syntax.source import Source
from torchwise.syntax.span import Span

_STDLIB = Path(sysconfig.get_path("stdlib"))
_NAMES = [
    "dataclasses",
    "argparse",
    "ast",
    "contextlib",
    "test/test_grammar",
    "test/test_patma",
    "asyncio/tasks",
    "typing",
]
FILES = [path.read_text() for name in _NAMES if (path := _STDLIB / f"{name}.py").exists()]
SNIPPETS = [
    "def f(x):\n",
    "    return x\n",
    "class A(B):\n",
    "    def m(self):\n        pass\n",
    "@dec\n",
    "x = (\n",
    ")\n",
    '"""',
    "'''",
    "if a:\n",
    "    b = 1\n",
    "else:\n",
    "# c\n",
    "\n",
    "\t",
    "\\\n",
    "\r\n",
    "\r",
    "\f",
    "é = 'ü'\n",
    "\ufeff",
    "\0",
    "[x for x in y]\n",
    "match v:\n    case [a, *b]: pass\n",
    "lambda: (yield)\n",
    "for i in j: k\n",
    "try:\n",
    "except E as e:\n",
    "async ",
    "await x\n",
    "with a as b, c: d\n",
    "f'{x!r:>{w}}'\n",
    "x.\n",
    "y =\n",
    "del a.b\n",
    "global g\n",
    "import a.b as c\n",
    "from . import *\n",
    "print 1\n",
    "    ",
    "  ",
    ";",
    "x[1:, ...] @= y\n",
    "(n := 3)\n",
    "*a, b = c\n",
    "type X = int\n",
    "\ud800",
    "`",
    "$",
    "0x\n",
    "1__0\n",
]


def refs(instr: ir.Instr) -> Iterator[ir.Ref]:
    """What an instruction itself refers to, its blocks left out."""
    match instr:
        case ir.Call(_, callee, args):
            yield from (callee,) if isinstance(callee, int) else ()
            yield from (arg.ref for arg in args)
        case ir.Build(_, _, items):
            yield from (item.ref for item in items)
        case ir.Define():
            yield from (arg.ref for arg in (*instr.defaults, *instr.bases))
            yield from instr.decorators
        case ir.Unpack(_, value):
            yield value
        case ir.If(_, test):
            yield test
        case ir.Loop(_, over):
            yield from () if over is None else (over,)
        case ir.With(_, context):
            yield context
        case ir.Assert(_, test):
            yield test
        case ir.Const() | ir.Try() | ir.Load():
            return
        case _:
            for name in ("base", "index", "value"):
                ref = getattr(instr, name, None)
                yield from () if ref is None else (ref,)


def check_block(block: ir.Block, defined: set[ir.Ref]) -> None:
    for instr in block:
        check_instr(instr, defined)


def check_instr(instr: ir.Instr, defined: set[ir.Ref]) -> None:
    missing = [ref for ref in refs(instr) if ref not in defined]
    assert not missing, f"{instr} uses {missing} before they are defined"
    match instr:
        case ir.If(_, _, then, other, values):
            left, right = set(defined), set(defined)
            check_block(then, left)
            check_block(other, right)
            assert values is None or (values[0] in left and values[1] in right)
            defined |= left | right
        case ir.Loop():
            check_block(instr.head, defined)
            defined |= {instr.item} if instr.item is not None else set()
            assert instr.test is None or instr.test in defined
            check_block(instr.body, defined)
            check_block(instr.orelse, defined)
        case ir.With():
            defined.add(instr.entered)
            check_block(instr.body, defined)
        case ir.Try():
            check_block(instr.body, defined)
            for handler in instr.handlers:
                check_block(handler.head, defined)
                assert handler.kinds is None or handler.kinds in defined
                check_block(handler.body, defined)
            check_block(instr.orelse, defined)
            check_block(instr.final, defined)
        case ir.Assert():
            check_block(instr.head, defined)
            assert instr.message is None or instr.message in defined
    assert instr.out not in defined, "a ref is defined twice"
    defined.add(instr.out)


def check_span(span: Span, lines: list[str]) -> None:
    assert 1 <= span.row <= span.end_row <= len(lines)
    assert (span.row, span.col) <= (span.end_row, span.end_col)
    assert 0 <= span.col <= len(lines[span.row - 1]) and 0 <= span.end_col <= len(lines[span.end_row - 1])


def check_module(module: Module) -> None:
    lines = re.split(r"(?<=\r)\n|\n|\r(?!\n)", module.source.text)
    assert next(iter(module.scopes)) == "<module>"
    for key, scope in module.scopes.items():
        defined: set[ir.Ref] = set()
        check_block(scope.body, defined)
        assert defined <= set(scope.places), "every ref has a place"
        assert scope.key == key
        assert all(inner in module.scopes for inner in scope.inner)
        for ref in list(scope.places)[:: 1 + len(scope.places) // 40]:
            for span in (module.span(key, ref), module.statement(key, ref), module.header(key, ref)):
                check_span(span, lines)
            module.text(key, ref)
        if name := module.name(key):
            check_span(name, lines)
    for span, message in module.source.errors:
        check_span(span, lines)
        assert message
    for row, (text, span) in module.source.comments.items():
        assert module.source.slice(span) == text and row == span.row


def check_same(warm: Module, cold: Module) -> None:
    assert [block.text for block in warm.source.blocks] == [block.text for block in cold.source.blocks]
    assert list(warm.scopes) == list(cold.scopes)
    for key, scope in warm.scopes.items():
        fresh = cold.scopes[key]
        assert scope == fresh
        assert scope.doc == fresh.doc
        for ref in list(scope.places)[:: 1 + len(scope.places) // 20]:
            assert warm.span(key, ref) == cold.span(key, ref)
            assert warm.statement(key, ref) == cold.statement(key, ref)
            assert warm.header(key, ref) == cold.header(key, ref)
        assert warm.name(key) == cold.name(key)
    assert warm.source.errors == cold.source.errors
    assert warm.source.comments == cold.source.comments


def mutated(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice([0, 1, 1, 3, 30, 300]))
    match rng.randrange(4):
        case 0:
            return text[:at] + text[end:]
        case 1:
            return text[:end] + text[at:end] + text[end:]
        case 2:
            return text[:at] + rng.choice(SNIPPETS) + text[at:]
        case _:
            return text[:at] + rng.choice(SNIPPETS) + text[end:]


SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=150)


@SLOW
@given(st.text(max_size=80))
def test_any_text_is_lowered(text: str) -> None:
    check_module(lower(Source.of(text)))


@SLOW
@given(st.lists(st.sampled_from(SNIPPETS), max_size=25))
def test_any_pieces_of_python_are_lowered(pieces: list[str]) -> None:
    check_module(lower(Source.of("".join(pieces))))


@pytest.mark.parametrize("name", range(len(FILES)))
def test_real_files_are_lowered(name: int) -> None:
    module = lower(Source.of(FILES[name]))
    check_module(module)
    assert not module.source.errors


@SLOW
@given(
    st.lists(st.sampled_from(SNIPPETS), max_size=15),
    st.lists(st.randoms(use_true_random=False), min_size=1, max_size=5),
)
def test_small_edits_lead_where_a_fresh_start_leads(pieces: list[str], edits: list[random.Random]) -> None:
    text = "".join(pieces)
    module = lower(Source.of(text))
    for rng in edits:
        text = mutated(text, rng)
        module = lower(module.source.edited(text), module)
        check_module(module)
        check_same(module, lower(Source.of(text)))


@pytest.mark.parametrize("seed", range(12))
def test_edits_of_real_files_lead_where_a_fresh_start_leads(seed: int) -> None:
    rng = random.Random(seed)
    text = rng.choice(FILES)
    start = rng.randrange(len(text))
    text = text[text.rfind("\n", 0, start) + 1 :][:20_000]
    module = lower(Source.of(text))
    for _ in range(4):
        text = mutated(text, rng)
        module = lower(module.source.edited(text), module)
        check_module(module)
        check_same(module, lower(Source.of(text)))
