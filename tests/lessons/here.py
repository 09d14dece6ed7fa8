"""The course of this checkout, and its lessons in shares that workers run side by side."""

import functools
from pathlib import Path

from torchwise.lessons.course import files_of, read_course
from torchwise.lessons.model import Course, Exercise, Lesson

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "content" / "lessons"
HEADINGS = Path(__file__).with_name("headings.txt")


@functools.cache
def course() -> Course:
    return read_course(LESSONS, files_of(LESSONS))


def lessons(first: int = 0, last: int = 99) -> list[Lesson]:
    """Of the modules from one number to another."""
    return [each for each in course().lessons.values() if first <= int(each.module[:2]) <= last]


def exercises(first: int, last: int) -> list[tuple[Lesson, Exercise]]:
    return [(lesson, exercise) for lesson in lessons(first, last) for exercise in lesson.exercises]


def name(value: Lesson | Exercise) -> str:
    return value.id if isinstance(value, Lesson) else value.name
