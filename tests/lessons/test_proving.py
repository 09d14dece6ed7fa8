"""The prover sees what it is there to see."""

import textwrap

import pytest

from tests.lessons.test_reading import HEAD
from torchwise.lessons.model import Lesson
from torchwise.lessons.prove import (
    Processes,
    asserts,
    wrong_with_analysis,
    wrong_with_exercise,
    wrong_with_snippets,
)
from torchwise.lessons.reading import read_lesson


def cell(code: str, *options: str) -> str:
    return (
        "```{code-cell}\n---\n" + "\n".join(options) + "\n---\n" + textwrap.dedent(code).strip() + "\n```\n\n"
    )


def lesson(*cells: str) -> Lesson:
    found, faults = read_lesson("02-tensors/01-proof.md", HEAD + "## Proof\n\n" + "".join(cells))
    assert not faults, faults
    return found


def exercise(start: str, solution: str, check: str, *options: str) -> Lesson:
    return lesson(
        cell(start, "exercise: find-it", "tags: [start]", *options),
        cell(solution, "exercise: find-it", "tags: [solution]"),
        cell(check, "exercise: find-it", "tags: [check]"),
    )


FAILS = "name: fails", "tags: [raises-exception]"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([cell("a = 1", "name: one"), cell("assert a == 1", "name: two")], None),
        ([cell("assert 1 == 2", "name: one")], "AssertionError"),
        ([cell("x = = 1", "name: one")], "SyntaxError"),
        ([cell("raise SystemExit(3)", "name: one")], "SystemExit"),
        ([cell("int('x')", *FAILS, "raises: 'ValueError: invalid literal'")], None),
        (
            [cell("int('x')", *FAILS, "raises: 'ValueError: something else'")],
            "and raises ValueError: invalid",
        ),
        ([cell("int('x')", *FAILS, "raises: 'TypeError'")], "and raises ValueError"),
        ([cell("int('1')", *FAILS, "raises: 'ValueError'")], "and does not"),
        ([cell("import os; os._exit(7)", "name: one")], "ended with status"),
        ([cell("assert False", "name: g", "tags: [cuda]"), cell("a = 1", "name: c", "shadows: g")], None),
        ([cell("import torch\nassert not torch.cuda.is_available()", "name: one")], None),
    ],
)
def test_snippets_are_one_program_and_fail_where_they_say(
    cells: list[str], said: str | None, processes: Processes
) -> None:
    found = wrong_with_snippets(lesson(*cells), processes)
    assert (said is None and not found) or (said is not None and said in "\n".join(found)), found


def test_a_failure_names_file_row_and_cell(processes: Processes) -> None:
    (found,) = wrong_with_snippets(lesson(cell("a = 1\nassert a == 2", "name: one")), processes)
    assert found.startswith("02-tensors/01-proof.md:15: `one`: it raises")
    assert "assert a == 2" in found


def test_what_a_lesson_leaves_behind_reaches_no_other(processes: Processes) -> None:
    leaves = "import torch\ntorch.set_default_dtype(torch.float64)\nopen('left', 'w').close()"
    looks = "import os, torch\nassert torch.ones(1).dtype == torch.float32\nassert not os.path.exists('left')"
    for code in (leaves, looks):
        assert not wrong_with_snippets(lesson(cell(code, "name: one")), processes)


def test_a_program_that_does_not_end_is_ended() -> None:
    with Processes() as processes:
        told = processes.run(lesson(cell("while True: pass", "name: one")).snippets, ["one"], seconds=0.5)
        assert told["ended"] == "took more than 0.5 s"
        assert not wrong_with_snippets(lesson(cell("a = 1", "name: one")), processes)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("a = 1", "a = 2", "assert a == 2"), None),
        (("a = 1", "a = 1", "assert a == 2"), "the check of the solution fails"),
        (("a = 2", "a = 2", "assert a == 2"), "it does not see the fault"),
        (("a = 1", "a = 2", "assert b == 2"), "fails by other than an assert"),
        (("a = int('x')", "a = 2", "assert a == 2"), "the start: it raises"),
        (("a = int('x')", "a = 2", "assert a == 2", "raises: 'ValueError: invalid'"), None),
        (("a = 1", "a = int('x')", "assert a == 2"), "the solution fails"),
        (("a = 1", "a = 2", "assert a == 2", "raises: ValueError"), "and does not"),
    ],
)
def test_an_exercise_is_broken_before_and_whole_after(
    parts: tuple[str, ...], said: str | None, processes: Processes
) -> None:
    found = exercise(*parts)
    wrong = wrong_with_exercise(found, found.exercises[0], processes)
    assert (said is None and not wrong) or (said is not None and said in "\n".join(wrong)), wrong


TURNED = """
    import torch

    turned = torch.ones(3, 4).t()
    flat = turned.view(12)
    """


def test_the_analyser_must_say_what_a_cell_declares() -> None:
    declared = lesson(cell(TURNED, "name: one", "finds: [view-on-non-contiguous]"))
    assert not wrong_with_analysis(declared)
    (said,) = wrong_with_analysis(lesson(cell(TURNED, "name: one")))
    assert "the analyser finds view-on-non-contiguous; the cell declares nothing" in said
    (said,) = wrong_with_analysis(lesson(cell("a = 1", "name: one", "finds: [mean-of-integers]")))
    assert "the analyser finds nothing; the cell declares mean-of-integers" in said


def test_the_analyser_must_find_the_fault_and_pass_the_solution() -> None:
    mended = TURNED.replace("view", "reshape")
    check = "assert flat.shape == (12,)"
    assert not wrong_with_analysis(exercise(TURNED, mended, check, "finds: [view-on-non-contiguous]"))
    (said,) = wrong_with_analysis(exercise(mended, TURNED, check))
    assert "`find-it, solution`: the analyser finds view-on-non-contiguous" in said


def test_claims_are_counted() -> None:
    assert (
        asserts("import torch\ntorch.testing.assert_close(1, 1)\nassert True\nfor i in 'ab':\n    assert i")
        == 3
    )
