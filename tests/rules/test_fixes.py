"""What every fix owes: the text parses, its finding is gone, nothing new is found, a second run changes
nothing, and comments and layout away from the edit stay. Held on the bad examples of all rules, written
plainly and as somebody else might have written them."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.rules.examples import PATH, clean, marked, program
from torchwise.engine import Engine
from torchwise.findings import Finding, Fix
from torchwise.fixes.apply import edited
from torchwise.rules import all_rules
from torchwise.rules.rule import Example, Rule

RULES = all_rules()
PAIRS = [pytest.param(r, e, id=f"{r.name}-{i}") for r in RULES for i, e in enumerate(r.examples)]


class Project:
    """One program, and the files that it needs."""

    def __init__(self, text: str, example: Example) -> None:
        self.engine = Engine()
        for name, other in example.files.items():
            self.engine.set_text(f"/project/{name}", clean(other))
        self.put(text)

    def put(self, text: str) -> None:
        self.text = text
        self.engine.set_text(PATH, text)

    def findings(self) -> list[Finding]:
        found = self.engine.findings(PATH)
        assert self.engine.crashes == []
        return found

    def fixes(self) -> list[tuple[Finding, Fix]]:
        found = [(f, f.fix) for f in self.findings() if f.fix is not None]
        return [(f, fix) for f, fix in found if all(e.at.path == PATH for e in fix.edits)]


def commented(text: str) -> str:
    """The same program with a comment before and behind each statement, and blank lines between."""
    out = []
    for number, (line, whole) in enumerate(lines_with_ends(text)):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() and whole:
            out += ["", f"{indent}# before {number}", f"{line}  # behind {number}"]
        else:
            out.append(line)
    return "\n".join(out) + "\n"


def lines_with_ends(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether a statement begins and ends on it, so that comments may go around it."""
    rows: Counter[int] = Counter()
    begun = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
            continue
        begun = token.start[0] if begun is None else begun
        if token.type == tokenize.NEWLINE:
            if begun == token.start[0]:
                rows[begun] += 1
            begun = None
    for number, line in enumerate(text.splitlines(), 1):
        starts_block_clause = line.lstrip().startswith(("else", "elif", "except", "finally", "@"))
        yield line, rows[number] == 1 and not starts_block_clause


def spaced(text: str) -> str:
    """The same program with tabs for indentation and no newline at its end."""
    lines = []
    for line in text.splitlines():
        body = line.lstrip(" ")
        lines.append("\t" * ((len(line) - len(body)) // 4) + body)
    return "\n".join(lines)


STYLES = {"plain": str, "commented": commented, "tabs": spaced}


def comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(t.string for t in tokens if t.type == tokenize.COMMENT)


def kinds(found: list[Finding]) -> Counter[str]:
    return Counter(f.name for f in found)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("rule", "example"), PAIRS)
def test_one_fix_at_a_time(rule: Rule, example: Example, style: str) -> None:
    text = STYLES[style](marked(program(example, example.bad))[0])
    project = Project(text, example)
    before = project.findings()
    for finding, fix in project.fixes():
        mended = edited(text, fix.edits)
        compile(mended, PATH, "exec")
        project.put(mended)
        after = project.findings()
        left = kinds(after)
        assert left[finding.name] < kinds(before)[finding.name], "the finding is still there"
        assert not left - kinds(before), "something new is found"
        assert not comments(text) - comments(mended) or deletes(text, fix), "a comment is lost"
        assert untouched(text, fix) <= Counter(mended.splitlines()), "a line away from the edit has changed"
        project.put(text)


def deletes(text: str, fix: Fix) -> bool:
    """Whether a whole statement goes, and what was said of it with it."""
    return any(not e.text.strip() and e.at.span.end_row > e.at.span.row for e in fix.edits)


def untouched(text: str, fix: Fix) -> Counter[str]:
    """The lines that no edit touches; where a block is wrapped, only their content may be asked for."""
    rows = {row for e in fix.edits for row in range(e.at.span.row, e.at.span.end_row + 1)}
    return Counter(line for number, line in enumerate(text.splitlines(), 1) if number not in rows)


@pytest.mark.parametrize(("rule", "example"), PAIRS)
def test_after_all_fixes_a_second_run_changes_nothing(rule: Rule, example: Example) -> None:
    project = Project(commented(marked(program(example, example.bad))[0]), example)
    found = project.fixes()
    if not found:
        return  # no fix, nothing to hold
    project.put(edited(project.text, {e for _, fix in found for e in fix.edits}))
    mended = project.text
    again = [(f, fix) for f, fix in project.fixes() if f.name == rule.name]
    assert again == [], f"{mended}"
