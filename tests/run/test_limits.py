"""Output is cut at its limit, exactly, and that is said once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from torchwise.run.limits import Bounded, memory_of_machine
from torchwise.run.messages import Cleared, Display, Failure, Notice, Output, Stream


def passed(bounded: Bounded, *told: Output) -> list[Output]:
    return [piece for output in told for piece in bounded.pass_on(output)]


@given(st.lists(st.text(max_size=30), max_size=20), st.integers(0, 100))
def test_no_more_than_the_limit_is_shown(texts: list[str], most: int) -> None:
    shown = passed(Bounded(most), *(Stream(name="stdout", text=text) for text in texts))
    text = "".join(told.text for told in shown if isinstance(told, Stream))
    whole = "".join(texts)
    assert len(text.encode()) <= most and whole.startswith(text)
    told = [output for output in shown if isinstance(output, Notice)]
    assert len(told) == (len(whole.encode()) > most)


def test_a_picture_is_shown_whole_or_not_at_all() -> None:
    picture = Display(format="png", content="x" * 80)
    assert [told.kind for told in passed(Bounded(100), picture, picture)] == ["display", "notice"]


def test_an_error_is_always_shown() -> None:
    failure = Failure(name="ValueError", message="w", text="ValueError: w")
    shown = passed(Bounded(1), Stream(name="stdout", text="words"), failure, Cleared())
    assert [told.kind for told in shown] == ["stream", "notice", "error", "clear"]


def test_a_kernel_gets_most_of_the_machine() -> None:
    assert (memory_of_machine() or 2**40) > 2**28
