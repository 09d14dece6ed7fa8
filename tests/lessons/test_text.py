"""What lessons say of themselves holds: their form, their links, the subjects they cover."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.lessons.here import HEADINGS, course, lessons, name
from torchwise.lessons.model import Lesson
from torchwise.lessons.notes import Note, notes
from torchwise.lessons.prove import asserts
from torchwise.rules import Rule, all_rules

MODULES = [
    "01-foundations",
    "02-tensors",
    "03-autograd",
    "04-neural-networks",
    "05-optimizers",
    "06-data",
    "07-training",
    "08-compile",
    "09-attention",
    "10-distributed",
    "11-export",
    "12-architectures",
    "13-advanced",
    "14-testing",
    "15-utilities",
    "16-checkpointing",
    "17-compile-control",
    "18-package",
    "19-dispatch",
    "20-backends",
    "21-cuda-graphs",
]
LINK = re.compile(r"\[[^\]]*\]\((rule|note|lesson):([^)\s]*)\)")
SUBJECTS = HEADINGS.read_text().splitlines()
RULES = {rule.name for rule in all_rules()} | {rule.code for rule in all_rules()}

each = pytest.mark.parametrize("lesson", lessons(), ids=name)


def name_of_note(note: Note) -> str:
    return note.symbol


def is_there(target: str) -> bool:
    """A lesson, or a section of it."""
    id_, _, anchor = target.partition("#")
    lesson = course().lessons.get(id_)
    return lesson is not None and (not anchor or lesson.section(anchor) is not None)


def test_every_file_is_read_without_a_fault() -> None:
    assert not [str(fault) for fault in course().faults]


def test_modules_are_those_of_the_course() -> None:
    assert [module.id for module in course().modules] == MODULES
    assert all(module.lessons for module in course().modules)


@each
def test_a_lesson_has_enough_to_do(lesson: Lesson) -> None:
    assert len(lesson.snippets) >= 8
    assert len(lesson.exercises) >= 3


def test_two_exercises_of_three_are_found_by_the_analyser() -> None:
    exercises = [exercise for lesson in lessons() for exercise in lesson.exercises]
    found = sum(bool(exercise.start.meta.finds) for exercise in exercises)
    assert found * 3 >= 2 * len(exercises), f"{found} of {len(exercises)}"


@each
def test_snippets_assert_what_the_text_claims(lesson: Lesson) -> None:
    bare = [
        cell.meta.name
        for cell in lesson.snippets
        if not asserts(cell.source) and cell.meta.raises is None and cell.role != "cuda"
    ]
    assert len(bare) * 3 <= len(lesson.snippets), bare
    assert all(asserts(exercise.check.source) for exercise in lesson.exercises)


@each
def test_a_lesson_begins_with_its_title_and_has_sections(lesson: Lesson) -> None:
    assert lesson.sections[0].level == 1 and lesson.head.title.startswith(lesson.sections[0].title)
    assert sum(section.level == 2 for section in lesson.sections) >= 3


@each
def test_anchors_are_taken_once(lesson: Lesson) -> None:
    anchors = Counter(section.anchor for section in lesson.sections)
    assert not [anchor for anchor, count in anchors.items() if count > 1]


@each
def test_what_is_to_be_read_before_is_there(lesson: Lesson) -> None:
    assert not [need for need in lesson.head.needs if not is_there(need)]
    assert lesson.id not in lesson.head.needs


def test_no_lesson_needs_itself_in_the_end() -> None:
    known = course().lessons

    def before(id_: str, above: tuple[str, ...]) -> None:
        assert id_ not in above, " needs ".join((*above, id_))
        for need in known[id_].head.needs if id_ in known else ():
            before(need, (*above, id_))

    for id_ in known:
        before(id_, ())


@each
def test_subjects_are_written_as_in_the_list(lesson: Lesson) -> None:
    assert not [subject for subject in lesson.head.covers if subject not in SUBJECTS]


@each
def test_findings_are_names_of_rules(lesson: Lesson) -> None:
    assert not [rule for cell in lesson.cells for rule in cell.meta.finds if rule not in RULES]


def links(lesson: Lesson) -> Iterator[tuple[str, str]]:
    for cell in lesson.cells:
        if cell.kind == "markdown":
            yield from LINK.findall(cell.source)


@each
def test_links_lead_somewhere(lesson: Lesson) -> None:
    for kind, target in links(lesson):
        if kind == "rule":
            assert target in RULES, target
        elif kind == "lesson":
            assert is_there(target), target
        else:
            assert target in notes(), target


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_a_rule_has_a_section_that_teaches_it(rule: Rule) -> None:
    assert rule.lesson is not None and "#" in rule.lesson
    assert is_there(rule.lesson), rule.lesson


@pytest.mark.parametrize("note", {note.symbol: note for note in notes().values()}.values(), ids=name_of_note)
def test_the_lesson_of_a_note_is_there(note: Note) -> None:
    assert note.lesson is None or is_there(note.lesson), note.lesson


def test_every_subject_is_taught() -> None:
    taught = {subject for lesson in lessons() for subject in lesson.head.covers}
    assert not [subject for subject in SUBJECTS if subject not in taught]
    assert len(SUBJECTS) == len(set(SUBJECTS))
