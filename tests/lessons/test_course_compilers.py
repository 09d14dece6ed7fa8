"""Every snippet and exercise of the modules 08 to 11, run under torch and read by the analyser."""

import pytest

from tests.lessons.here import exercises, lessons, name
from torchwise.lessons.model import Exercise, Lesson
from torchwise.lessons.prove import Processes, wrong_with_analysis, wrong_with_exercise, wrong_with_snippets

SHARE = 8, 11


@pytest.mark.parametrize("lesson", lessons(*SHARE), ids=name)
def test_the_snippets_do_what_they_say(lesson: Lesson, processes: Processes) -> None:
    assert not wrong_with_snippets(lesson, processes)


@pytest.mark.parametrize(("lesson", "exercise"), exercises(*SHARE), ids=name)
def test_the_start_is_broken_and_the_solution_is_not(
    lesson: Lesson, exercise: Exercise, processes: Processes
) -> None:
    assert not wrong_with_exercise(lesson, exercise, processes)


@pytest.mark.parametrize("lesson", lessons(*SHARE), ids=name)
def test_the_analyser_says_what_the_cells_declare(lesson: Lesson) -> None:
    assert not wrong_with_analysis(lesson)
