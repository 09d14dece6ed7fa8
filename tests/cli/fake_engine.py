"""A stand-in for the engine, with rules that only look at words: for tests of what is around the engine.

`python tests/cli/fake_engine.py ARGS` is `torchwise ARGS` with it.

old(...)      TW901, warning, fixed safely by `new(...)` risky(...)    TW902, error, fixed unsafely by
`calm(...)` slow(...)     TW903, hint ruin(...)     TW904, warning, whose fix does not parse shared
TW905, warning: where a file of the same folder imports it from a module that says `shared = bad` CRASH
the engine raises; CRASHING_RULE: a rule does
"""

from __future__ import annotations

import ast
import re
import sys
import time
import types
from collections.abc import Iterator
from pathlib import PurePath

from torchwise.findings import Edit, Finding, Fix, Hint, Hover, Location, Related, ShapeRow
from torchwise.project.settings import Settings
from torchwise.rules.rule import Example, Rule
from torchwise.syntax.notebook import Cell, python_of
from torchwise.syntax.span import Span

LEVELS = {"old": "warning", "risky": "error", "slow": "hint", "ruin": "warning", "shared": "warning"}
FIXES = {"old": ("new", True), "risky": ("calm", False), "ruin": ("ruin((", True)}
SUMMARIES = {
    "old": "A call of `old`, which `new` replaces.",
    "risky": "A call of `risky`.",
    "slow": "A call of `slow`.",
    "ruin": "A call whose fix ruins the file.",
    "shared": "A name that is bad where it comes from.",
}
EXAMPLE = Example(bad="y = old(x)\n    ^^^ `old` is out of date", good="y = new(x)")
RULES = tuple(
    Rule(
        f"TW90{number}",
        f"{word}-call",
        "words",
        LEVELS[word],
        SUMMARIES[word],
        "Because it is a word.",
        lambda _: (),
        (EXAMPLE,),
    )
    for number, word in enumerate(SUMMARIES, 1)
)


class Engine:
    def __init__(self, settings: Settings = Settings()):
        self.crashes: list[str] = []
        self.texts: dict[str, list[Cell] | str] = {}
        self.set_config(settings)

    def set_config(self, settings: Settings) -> None:
        self.settings = settings

    def set_text(self, path: str, text: str) -> None:
        self.texts[path] = text

    def set_notebook(self, path: str, cells: list[Cell]) -> None:
        self.texts[path] = cells

    def forget(self, path: str) -> None:
        self.texts.pop(path, None)

    def findings(self, path: str) -> list[Finding]:
        found = []
        for cell, text in self._parts(path):
            if "CRASHING_RULE" in text:
                self.crashes.append("rule `old-call` raised ValueError")
            if "CRASH\n" in text:
                raise ValueError("crashed on purpose")
            if "SLEEP" in text:
                time.sleep(0.5)
            found += [f for f in self._in_text(path, cell, text) if not self._silenced(f, text)]
        return found

    survey = alone = findings

    def _parts(self, path: str) -> Iterator[tuple[int | None, str]]:
        kept = self.texts[path]
        if isinstance(kept, str):
            yield None, kept
            return
        yield from ((index, python_of(cell.text)) for index, cell in enumerate(kept) if cell.kind == "code")

    def _in_text(self, path: str, cell: int | None, text: str) -> Iterator[Finding]:
        try:
            ast.parse(text)
        except SyntaxError as error:
            row, col = error.lineno or 1, max((error.offset or 1) - 1, 0)
            at = Location(path, Span(row, col, row, col + 1), cell)
            yield Finding("TW000", "syntax-error", "error", error.msg, at)
            return
        except ValueError:
            return
        for row, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
            for match in re.finditer(r"\b(old|risky|slow|ruin)(?=\()|(?<=import )\bshared\b", line):
                yield from self._word(match, path, cell, row)

    def _word(self, match: re.Match[str], path: str, cell: int | None, row: int) -> Iterator[Finding]:
        word = match[0]
        rule = RULES[list(SUMMARIES).index(word)]
        level = self.settings.for_file(path).level(rule.code, rule.name, rule.family, rule.level)
        if level is None or (word == "shared" and not self._bad_shared(path)):
            return
        at = Location(path, Span(row, match.start(), row, match.end()), cell)
        related = (
            (Related(Location(path, Span(1, 0, 1, 1), cell), "the file begins here"),) if row > 1 else ()
        )
        fix = None
        if word in FIXES:
            text, safe = FIXES[word]
            fix = Fix(f"Use `{text}`", (Edit(at, text),), safe)
        url = f"https://torchwise.readthedocs.io/rules/words/{rule.name}"
        tags = ("deprecated",) if word == "old" else ()
        yield Finding(rule.code, rule.name, level, f"`{word}` is out of date", at, related, fix, url, tags)

    def _bad_shared(self, path: str) -> bool:
        folder = PurePath(path).parent
        others = [
            text for other, text in self.texts.items() if PurePath(other).parent == folder and other != path
        ]
        return any(isinstance(text, str) and "shared = bad" in text for text in others)

    def _silenced(self, finding: Finding, text: str) -> bool:
        line = re.split(r"\r\n|\r|\n", text)[finding.at.span.row - 1]
        comment = line.partition("#")[2]
        return finding.code in comment and '"""' not in line

    def called(self, path: str, row: int, col: int, cell: int | None = None) -> None:
        return None

    def hover(self, path: str, row: int, col: int, cell: int | None = None) -> Hover | None:
        text = dict(self._parts(path)).get(cell, "")
        lines = re.split(r"\r\n|\r|\n", text)
        for match in re.finditer(r"\w+", lines[row - 1] if row <= len(lines) else ""):
            if match.start() <= col <= match.end():
                return Hover(
                    Location(path, Span(row, match.start(), row, match.end()), cell), f"**{match[0]}**"
                )
        return None

    def hints(self, path: str, rows: tuple[int, int] | None = None, cell: int | None = None) -> list[Hint]:
        text = dict(self._parts(path)).get(cell, "")
        found = []
        for row, line in enumerate(text.split("\n"), 1):
            if rows and not rows[0] <= row <= rows[1]:
                continue
            if match := re.match(r"(\w+) = ", line):
                found.append(Hint(Location(path, Span(row, 0, row, match.end(1)), cell), "[2, 3]", "a guess"))
        return found

    def shapes(self, path: str) -> list[ShapeRow]:
        return [
            ShapeRow(hint.at.span.row, "x", (2, "B", None), "float32", "cpu", False, cell)
            for cell, _ in self._parts(path)
            for hint in self.hints(path, None, cell)
        ]


def install() -> None:
    """In this process, before anything imports the engine."""
    import torchwise.rules

    module = types.ModuleType("torchwise.engine")
    module.Engine = Engine  # type: ignore[attr-defined]
    sys.modules["torchwise.engine"] = module
    torchwise.rules.all_rules = lambda: RULES  # type: ignore[assignment]


if __name__ == "__main__":
    install()
    from torchwise.cli import main

    main(prog_name="torchwise")
