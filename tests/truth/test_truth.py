"""What is said of compiled programs is what Dynamo does with them."""

from __future__ import annotations

import pytest

from tests.truth.agreement import Row, agreement, compared

AT_LEAST = 0.92


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return compared()


def test_there_are_programs_of_both_kinds(rows: list[Row]) -> None:
    breaking = [row for row in rows if row.real]
    assert len(rows) >= 60
    assert len(breaking) >= 25 and len(rows) - len(breaking) >= 25


def test_breaks_are_predicted_on_their_lines(rows: list[Row]) -> None:
    lines, verdicts = agreement(rows)
    told = "\n".join(f"{row.name}: {row.told}" for row in rows if row.real != row.said)
    assert lines >= AT_LEAST and verdicts >= AT_LEAST, told


def test_no_break_is_said_that_dynamo_does_not_make(rows: list[Row]) -> None:
    assert [row.name for row in rows if row.said - row.real] == []
