"""The tests that every lesson passes, for a share of the modules: workers run the shares side by side."""

from collections.abc import Callable

import pytest

from tests.lessons.here import exercises, lessons, name
from torchwise.lessons.model import Exercise, Lesson
from torchwise.lessons.prove import Processes, wrong_with_analysis, wrong_with_exercise, wrong_with_snippets


def proven(first: int, last: int) -> tuple[Callable[..., None], ...]:
    """Every snippet and exercise of the modules from one number to another, run under torch and read by the
    analyser.
    """

    @pytest.mark.parametrize("lesson", lessons(first, last), ids=name)
    def test_the_snippets_do_what_they_say(lesson: Lesson, processes: Processes) -> None:
        assert not wrong_with_snippets(lesson, processes)

    @pytest.mark.parametrize(("lesson", "exercise"), exercises(first, last), ids=name)
    def test_the_start_is_broken_and_the_solution_is_not(
        lesson: Lesson, exercise: Exercise, processes: Processes
    ) -> None:
        assert not wrong_with_exercise(lesson, exercise, processes)

    @pytest.mark.parametrize("lesson", lessons(first, last), ids=name)
    def test_the_analyser_says_what_the_cells_declare(lesson: Lesson) -> None:
        assert not wrong_with_analysis(lesson)

    return (
        test_the_snippets_do_what_they_say,
        test_the_start_is_broken_and_the_solution_is_not,
        test_the_analyser_says_what_the_cells_declare,
    )
