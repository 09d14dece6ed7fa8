"""Search finds the section that is about it."""

from tests.lessons.test_proving import cell
from tests.lessons.test_reading import HEAD
from torchwise.lessons.model import Course, Module
from torchwise.lessons.reading import read_lesson
from torchwise.lessons.search import Index

TEXT = """\
# Strides

How far apart.

## Views share memory

A view copies nothing; [views](lesson:02-tensors/views) of a **transposed** tensor have gaps.

## Addresses

FILLED lies at $\\text{offset} + i_k s_k$, the longest of all, and that is the last.

$$
\\sum_k i_k
$$

## Copies

A copy is *contiguous*, and `torch.no_grad` has no part in it.

""".replace("FILLED", "word " * 40)


def index() -> Index:
    lesson, faults = read_lesson("02-tensors/03-strides.md", HEAD + TEXT + cell("x.clone()", "name: a-clone"))
    assert not faults
    return Index.of(Course(modules=(Module(id="02-tensors", title="T", goal="G", lessons=(lesson,)),)))


def anchors(text: str) -> list[str]:
    return [found.anchor for found in index().search(text)]


def test_titles_come_before_text() -> None:
    assert anchors("view") == ["views-share-memory", ""]  # the goal of the lesson speaks of a view, too
    assert anchors("strides")[0] == ""


def test_all_words_are_wanted_and_beginnings_will_do() -> None:
    assert anchors("transp gap") == ["views-share-memory"]
    assert anchors("transposed contiguous") == []
    assert anchors("CONTIGUOUS") == ["copies"]


def test_code_is_found_by_its_names_and_their_parts() -> None:
    assert anchors("clone") == anchors("no_grad") == anchors("torch.no_grad") == anchors("grad") == ["copies"]


def test_nothing_is_found_for_nothing() -> None:
    assert anchors("") == anchors("?!") == anchors("zzz") == []


def test_an_excerpt_is_plain_text_around_what_was_found() -> None:
    (found,) = index().search("gaps")
    assert found.excerpt == "A view copies nothing; views of a transposed tensor have gaps."


def test_an_excerpt_has_whole_words_and_no_commands_of_latex() -> None:
    (found,) = index().search("longest")
    assert found.excerpt.startswith("…word word") and found.excerpt.endswith(" last.")
    assert "offset + i_k s_k" in found.excerpt and "\\" not in found.excerpt
