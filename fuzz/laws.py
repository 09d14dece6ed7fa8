"""What holds for every text: nothing raises, all that is said lies within the text, fixes come to an end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fuzz.choices import Choices, often, one_of
from fuzz.programs import cells, edited, program
from fuzz.talks import answered
from torchwise.engine import Engine
from torchwise.findings import Finding, Location
from torchwise.fixes.apply import mend, patched
from torchwise.fixes.lines import lines_of
from torchwise.syntax.encoding import decode
from torchwise.syntax.notebook import Cell

FILE, NOTEBOOK = "/project/model.py", "/project/look.ipynb"
Law = Callable[[Choices], None]


def findings(choices: Choices) -> None:
    if often(choices, 4):
        notebook_findings_hold(cells(choices))
    elif often(choices, 8):
        findings_hold([decode(program(choices).encode("latin-1", "replace"))])
    else:
        text = program(choices)
        findings_hold([text, *(edited(choices, text) for _ in range(choices.number(0, 2)))])


def fixes(choices: Choices) -> None:
    fixes_hold(program(choices), unsafe=often(choices, 2))


def messages(choices: Choices) -> None:
    answered(choices)


def any_of_them(choices: Choices) -> None:
    one_of(choices, (findings, fixes, messages))(choices)


LAWS: dict[str, Law] = {"findings": findings, "fixes": fixes, "messages": messages, "all": any_of_them}


def findings_hold(texts: Sequence[str]) -> None:
    """Of texts that stand in a file one after the other: a warm engine says what a fresh one says."""
    warm = Engine()
    for text in texts:
        warm.set_text(FILE, text)
        cold = Engine()
        cold.set_text(FILE, text)
        found = cold.survey(FILE)
        assert warm.survey(FILE) == found, "a warm engine says something else"
        assert warm.shapes(FILE) == cold.shapes(FILE)
        lines = lines_of(text)
        _lie_within({(FILE, None): lines}, found)
        for hint in cold.hints(FILE):
            _lies_within({(FILE, None): lines}, hint.at)
        for row in {1, len(lines) // 2, len(lines)}:
            cold.hover(FILE, row, 4)
        assert cold.crashes == warm.crashes == []


def notebook_findings_hold(found: Sequence[Cell]) -> None:
    engine = Engine()
    engine.set_notebook(NOTEBOOK, found)
    said = engine.survey(NOTEBOOK)
    engine.hints(NOTEBOOK)
    engine.shapes(NOTEBOOK)
    texts = {(NOTEBOOK, number): lines_of(cell.text) for number, cell in enumerate(found)}
    _lie_within(texts, said)
    assert engine.crashes == []


def fixes_hold(text: str, unsafe: bool) -> None:
    """Safe fixes make nothing worse and leave nothing to do; each unsafe one leaves a text that parses."""
    engine = Engine()
    engine.set_text(FILE, text)

    def put(changed: object) -> None:
        engine.set_text(FILE, changed[FILE, None])  # type: ignore[index]

    def wanted(finding: Finding) -> bool:
        return finding.fix is not None and (finding.fix.safe or unsafe)

    before = [finding for finding in engine.survey(FILE) if finding.code == "TW000"]
    once = mend({(FILE, None): text}, engine.findings, put, wanted)
    after = once.texts.get((FILE, None), text)
    engine.set_text(FILE, after)
    left = engine.survey(FILE)
    assert sum(finding.code == "TW000" for finding in left) <= len(before), "a fix broke the text"
    again = mend({(FILE, None): after}, engine.findings, put, wanted)
    assert not again.texts, "a second run changes something"
    for finding in left:
        if finding.fix:
            patched({(FILE, None): after}, [finding.fix])
    assert engine.crashes == []


# -- places --------------------------------------------------------------------------------------------------

Lines = dict[tuple[str, int | None], list[str]]


def _lie_within(texts: Lines, found: Sequence[Finding]) -> None:
    for finding in found:
        edits = finding.fix.edits if finding.fix else ()
        for at in (finding.at, *(each.at for each in (*finding.related, *edits))):
            _lies_within(texts, at)
        assert finding.message.strip() and "\n" not in finding.message, finding


def _lies_within(texts: Lines, at: Location) -> None:
    """A line that was ended has a place behind it."""
    lines, span = texts[at.path, at.cell], at.span
    start, end = (span.row, span.col), (span.end_row, span.end_col)
    assert start <= end, at
    for row, col in (start, end):
        assert 1 <= row <= len(lines) + 1, at
        line = lines[row - 1].rstrip("\r\n") if row <= len(lines) else ""
        assert 0 <= col <= len(line) + 1, at
