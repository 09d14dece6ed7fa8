"""What is wrong with a lesson is said with file, row, cell and key."""

import textwrap
from pathlib import Path

import pytest

from torchwise.lessons.course import files_of, read_course
from torchwise.lessons.model import Course, Lesson
from torchwise.lessons.reading import Unreadable, read_lesson

HEAD = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
torchwise:
  title: Strides
  goal: You can tell a view from a copy.
  minutes: 20
---
"""


def written(body: str) -> str:
    return HEAD + textwrap.dedent(body)


def lesson(body: str) -> Lesson:
    found, faults = read_lesson("02-tensors/03-strides.md", written(body))
    assert not faults
    return found


def faults(body: str) -> list[str]:
    return [str(fault) for fault in read_lesson("02-tensors/03-strides.md", written(body))[1]]


SNIPPET = """
    ```{code-cell}
    ---
    name: a-slice
    ---
    import torch

    assert torch.ones(2)[:1]._base is not None
    ```
    """
EXERCISE = """
    ### Exercise: Lost rows

    A story.

    ```{code-cell}
    ---
    exercise: lost-rows
    tags: [start]
    finds: [shape-mismatch]
    ---
    rows = 1
    ```

    ```{code-cell}
    ---
    exercise: lost-rows
    tags: [solution]
    ---
    rows = 2
    ```

    ```{code-cell}
    ---
    exercise: lost-rows
    tags: [check]
    ---
    assert rows == 2
    ```
    """


def test_a_lesson_has_cells_with_rows_sections_and_roles() -> None:
    found = lesson("# Strides\n\nText.\n\n## Views of `x`\n" + textwrap.dedent(SNIPPET + EXERCISE))
    assert found.id == "02-tensors/strides"
    assert [cell.role for cell in found.cells] == ["text", "snippet", "text", "start", "solution", "check"]
    assert [(each.anchor, each.level) for each in found.sections] == [
        ("strides", 1),
        ("views-of-x", 2),
        ("exercise-lost-rows", 3),
    ]
    snippet = found.snippets[0]
    assert snippet.section == "views-of-x"
    rows = written("# Strides\n\nText.\n\n## Views of `x`\n" + textwrap.dedent(SNIPPET)).splitlines()
    assert rows[snippet.row - 1] == "import torch"
    (exercise,) = found.exercises
    assert (exercise.title, exercise.anchor) == ("Lost rows", "exercise-lost-rows")
    assert exercise.start.meta.finds == ("shape-mismatch",)


def test_an_anchor_that_is_given_stands_before_that_of_the_heading() -> None:
    found = lesson("(gaps)=\n## Slices with gaps\n\n## Slices with gaps\n")
    assert [each.anchor for each in found.sections] == ["gaps", "slices-with-gaps-1"]
    assert found.section("slices-with-gaps") == found.section("gaps")


def test_a_hash_in_code_is_no_section() -> None:
    assert not lesson("```python\n# Not a heading\n```\n").sections


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (SNIPPET.replace("a-slice", "A Slice"), "cell `A Slice`: `name`: String should match pattern"),
        (SNIPPET.replace("name: a-slice", "nmae: a-slice"), "a cell without name: `nmae`: Extra inputs"),
        (SNIPPET + SNIPPET, "cell `a-slice`: its `name` is taken"),
        (
            SNIPPET.replace("name: a-slice", "tags: [cuda]\n    name: a-slice"),
            "needs another that has `shadows",
        ),
        (
            SNIPPET.replace("name: a-slice", "shadows: b\n    name: a-slice"),
            "`shadows`: there is no cell `b`",
        ),
        (SNIPPET.replace("name: a-slice", "raises: 'E: x'\n    name: a-slice"), "`raises` and the tag"),
        (SNIPPET.replace("name: a-slice", "tags: [strat]\n    name: a-slice"), "`tags.0`: Input should be"),
        (
            EXERCISE.replace("tags: [check]", "tags: [start]"),
            "exercise `lost-rows` has solution, start, start",
        ),
        (
            EXERCISE.replace("exercise: lost-rows\n    tags: [check]", "name: x\n    tags: [check]"),
            "`exercise` is m",
        ),
    ],
)
def test_a_wrong_cell_is_named_with_its_key(body: str, said: str) -> None:
    found = faults(body)
    assert any(said in each for each in found), found
    assert all(each.startswith("02-tensors/03-strides.md:") for each in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# No head\n", "it has none"),
        (HEAD.replace("minutes: 20", "minutes: many"), "`minutes`: Input should be a valid integer"),
        (HEAD.replace("  goal: You can tell a view from a copy.\n", ""), "`goal`: Field required"),
        (HEAD.replace("  title: Strides", "  title: [Strides"), "Notebook metadata: while parsing"),
        (HEAD.replace("torchwise:", "torchvise:"), "`torchwise:` is missing"),
        ("---\n- a\n- b\n---\n", "head"),
        ("---\n", "`torchwise:` is missing"),
        (HEAD + "```{code-cell}\n---\nname: [\n---\nx = 1\n```\n", "YAML"),
    ],
)
def test_a_file_that_is_no_lesson_says_why(text: str, said: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read_lesson("02-tensors/03-strides.md", text)
    assert said in str(raised.value)


def test_subjects_point_to_sections_of_the_lesson() -> None:
    head = HEAD.replace("minutes: 20", 'minutes: 20\n  covers: {"02 Strides": strides}')
    _, wrong = read_lesson("02-tensors/03-strides.md", head + "## Layout\n")
    assert [fault.what for fault in wrong] == [
        "`covers`: `02 Strides` is at `strides`, which is no section here"
    ]


def folder(at: Path, **files: str) -> Course:
    for name, text in files.items():
        path = at / "02-tensors" / name.replace("__", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_course(at, files_of(at))


MODULE = "title: Tensors\ngoal: To know them\n"


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    found = folder(tmp_path, module__yml=MODULE, good__md=HEAD, bad__md="nothing", binary__md=b"\xff\xfe---")  # type: ignore[arg-type]
    assert list(found.lessons) == ["02-tensors/good"]
    assert [fault.path for fault in found.faults] == ["02-tensors/bad.md", "02-tensors/binary.md"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "valid dictionary"), ("title: [", "while parsing"), ("title: T\n", "goal Field req")],
)
def test_a_wrong_module_is_told_and_its_lessons_stay(tmp_path: Path, text: str, said: str) -> None:
    found = folder(tmp_path, module__yml=text, good__md=HEAD)
    assert list(found.lessons) == ["02-tensors/good"]
    assert said in str(found.faults[0])
    assert str(found.faults[0]).startswith("02-tensors/module.yml:1: module: ")


def test_two_files_cannot_be_one_lesson(tmp_path: Path) -> None:
    found = folder(tmp_path, module__yml=MODULE, **{"01-views__md": HEAD, "02-views__md": HEAD})
    assert "two files of the module are `02-tensors/views`" in str(found.faults[0])
