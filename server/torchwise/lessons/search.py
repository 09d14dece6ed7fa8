"""Finds sections of lessons by words: an inverted index of what they say and of their code.

A section answers if it has all words asked for, each at least as the beginning of one of its own. Rare words
count more, and words of a title count as several.
"""

from __future__ import annotations

import bisect
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from torchwise.lessons.model import Course, Lesson, Section

_WORD = re.compile(r"[^\W_]+(?:_[^\W_]+)*")
_DISPLAYED = re.compile(r"\$\$.*?\$\$", re.S)  # a formula of its own
_COMMAND = re.compile(r"\\[A-Za-z]+\s?|[{}]")  # of LaTeX
_FORMULA = re.compile(r"\$([^$\n]+)\$")
_MARKUP = re.compile(r"\]\([^)\]]*\)|[*`$\[\]]|^\(.*\)=$", re.M)
IN_TITLE = 6  # a word of a title counts as so many in the text
ROUND = 90  # characters of an excerpt before and after


@dataclass(frozen=True)
class Found:
    lesson: str
    anchor: str
    title: str
    excerpt: str


@dataclass
class _Page:
    lesson: str
    anchor: str
    title: str
    text: str = ""


@dataclass
class Index:
    """Stateful only while it is made."""

    pages: list[_Page] = field(default_factory=list)
    _words: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    _sorted: list[str] = field(default_factory=list)

    @staticmethod
    def of(course: Course) -> Index:
        index = Index()
        for lesson in course.lessons.values():
            for page in _pages(lesson):
                index._add(page)
        index._sorted = sorted(index._words)
        return index

    def _add(self, page: _Page) -> None:
        number = len(self.pages)
        self.pages.append(page)
        for word, count in Counter(_words(page.text)).items():
            self._words[word][number] += count
        for word in _words(page.title):
            self._words[word][number] += IN_TITLE

    def search(self, text: str, most: int = 20) -> list[Found]:
        asked = list(dict.fromkeys(_words(text)))
        if not asked:
            return []
        scores = [self._scores(word) for word in asked]
        numbers = set.intersection(*(set(each) for each in scores))
        ranked = sorted(numbers, key=lambda n: (-sum(each[n] for each in scores), n))
        return [self._found(self.pages[number], asked) for number in ranked[:most]]

    def _scores(self, word: str) -> Counter[int]:
        """Of each page that has the word or one that begins with it; the word itself counts double."""
        out: Counter[int] = Counter()
        at = bisect.bisect_left(self._sorted, word)
        while at < len(self._sorted) and self._sorted[at].startswith(word):
            known = self._words[self._sorted[at]]
            rare = math.log(1 + len(self.pages) / len(known))
            for number, count in known.items():
                out[number] += (2 if self._sorted[at] == word else 1) * rare * (1 + math.log(count))  # type: ignore[assignment]
            at += 1
        return out

    def _found(self, page: _Page, asked: list[str]) -> Found:
        plain = " ".join(page.text.split())
        places = [at for word in asked if (at := plain.lower().find(word)) >= 0]
        middle = min(places, default=0)
        start, end = max(0, middle - ROUND), middle + 2 * ROUND
        start = plain.find(" ", start) + 1 if start else 0  # at whole words
        cut = plain[start:end] if end >= len(plain) else plain[start:end].rpartition(" ")[0]
        before, after = "…" if start else "", "…" if end < len(plain) else ""
        return Found(page.lesson, page.anchor, page.title, f"{before}{cut}{after}")


def _pages(lesson: Lesson) -> list[_Page]:
    """One for the top of the lesson, one for each of its sections."""
    pages = [_Page(lesson.id, "", lesson.head.title, lesson.head.goal)]
    by_anchor: dict[str, _Page] = {"": pages[0]}
    for section in lesson.sections:
        if section.level == 1:
            by_anchor[section.anchor] = pages[0]
        else:
            pages.append(_Page(lesson.id, section.anchor, section.title))
            by_anchor[section.anchor] = pages[-1]
    for cell in lesson.cells:
        for anchor, text in _parts(lesson, cell.source, cell.row, cell.section, cell.kind):
            by_anchor[anchor].text += f"\n{text}"
    return pages


def _parts(lesson: Lesson, source: str, row: int, section: str, kind: str) -> list[tuple[str, str]]:
    """The text of a cell by the section that it stands in: one cell of markdown may open several."""
    if kind == "code":
        return [(section, source)]
    lines = source.splitlines()
    inside: list[Section] = [each for each in lesson.sections if row <= each.row < row + len(lines)]
    above = [each.anchor for each in lesson.sections if each.row < row]
    marks = [(0, above[-1] if above else "")] + [(each.row - row, each.anchor) for each in inside]
    ends = [at for at, _ in marks[1:]] + [len(lines)]
    return [(anchor, _plain(lines[at:end])) for (at, anchor), end in zip(marks, ends)]


def _plain(lines: list[str]) -> str:
    """Without headings, which are titles, and without markup."""
    text = _DISPLAYED.sub("", "\n".join(line for line in lines if not line.startswith("#")))
    text = _FORMULA.sub(lambda found: _COMMAND.sub("", found[1]), text)
    return _MARKUP.sub("", text)


def _words(text: str) -> list[str]:
    """`torch.no_grad` is found as `no_grad`, `no` and `grad`."""
    whole = [word.lower() for word in _WORD.findall(text)]
    return whole + [part for word in whole if "_" in word for part in word.split("_")]
