"""Three answers: it holds, it fails, or nobody can tell. Rules speak only when it fails."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a Verdict has three answers; ask .holds or .fails")

    @property
    def holds(self) -> bool:
        return self is Verdict.HOLDS

    @property
    def fails(self) -> bool:
        return self is Verdict.FAILS

    @property
    def unknown(self) -> bool:
        return self is Verdict.UNKNOWN

    @staticmethod
    def of(value: bool | None) -> Verdict:
        return Verdict.UNKNOWN if value is None else Verdict.HOLDS if value else Verdict.FAILS


HOLDS, FAILS, UNKNOWN = Verdict.HOLDS, Verdict.FAILS, Verdict.UNKNOWN


def opposite(verdict: Verdict) -> Verdict:
    return {HOLDS: FAILS, FAILS: HOLDS}.get(verdict, UNKNOWN)


def both(*verdicts: Verdict) -> Verdict:
    if FAILS in verdicts:
        return FAILS
    return HOLDS if all(v is HOLDS for v in verdicts) else UNKNOWN


def either(*verdicts: Verdict) -> Verdict:
    if HOLDS in verdicts:
        return HOLDS
    return FAILS if all(v is FAILS for v in verdicts) else UNKNOWN


def join(a: Verdict, b: Verdict) -> Verdict:
    return a if a is b else UNKNOWN
