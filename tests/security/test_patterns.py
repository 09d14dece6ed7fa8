"""No pattern of ours takes a time that grows faster than its text: a hostile line cannot hang the checker."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from typing import Any

import pytest

from tests.security.patterns import LASTLY, WALKS, Used, all_used, floods

SIZES = (12, 20, 30, 60, 480, 7_680)  # characters
NOTHING_S = 0.004  # a time in which nothing grows to speak of
POWER = 1.5  # of the length: a time grows with the first, or with the second and more
FOUND = all_used()


def slow_on(used: Used) -> tuple[str, str, str] | None:
    """Of a text that takes longer than it is long: what comes first, what is repeated, what is last."""
    compiled = re.compile(used.pattern, used.flags)
    for before, body in floods(used.pattern, used.flags):
        for last in LASTLY:
            if _grows(used, compiled, before, body, last):
                return before, body, last
    return None


def _grows(used: Used, compiled: Any, before: str, body: str, last: str) -> bool:
    """The shortest is first: its time may double with each character."""

    def took_s(size: int, tries: int) -> float:
        text = before + body * (size // len(body)) + last
        given = text.encode() if isinstance(used.pattern, bytes) else text
        return min(_took_s(used, compiled, given) for _ in range(tries))

    for shorter, longer in pairwise(SIZES):
        if took_s(longer, 1) > NOTHING_S:
            first, second = took_s(shorter, 3), took_s(longer, 3)
            if second > NOTHING_S and second > first * (longer / shorter) ** POWER:
                return True
    return False


def _took_s(used: Used, compiled: Any, text: str | bytes) -> float:
    start = time.thread_time()
    if used.methods & WALKS:
        for _ in compiled.finditer(text):
            pass
    for method in used.methods - WALKS:
        getattr(compiled, method)(text)
    return time.thread_time() - start


def test_patterns_are_found() -> None:
    assert len(FOUND) > 130
    assert {"match", "search", "finditer", "sub"} <= {name for used in FOUND for name in used.methods}


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s*$", "search"),
        (r"\[([^\]]+)\]\(", "sub"),
        (r"(\w+)\s*:=", "finditer"),
        (r"# (.+?):(\d+)(?:, in ([^(]+).*)?$", "search"),
        (r"(?:a|aa)*c", "match"),
        (r"(?:\w+\s*)*;", "match"),
        (r"(?P<codes>[A-Z]+\d+(?:\s*[,\s]\s*[A-Z]+\d+)*)!", "match"),
    ],
)
def test_a_slow_pattern_is_noticed(pattern: str, method: str) -> None:
    assert slow_on(Used("", pattern, 0, frozenset({method}))) is not None


@pytest.mark.parametrize("used", FOUND, ids=[used.where for used in FOUND])
def test_a_pattern_takes_a_time_that_grows_with_its_text(used: Used) -> None:
    assert slow_on(used) is None, used.pattern
