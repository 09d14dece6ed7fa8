"""`torchwise lessons`, and `torchwise run` of what is in them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.lessons.here import LESSONS, course
from tests.lessons.test_proving import cell
from tests.lessons.test_reading import HEAD
from torchwise.cli import main
from torchwise.cli.lesson_snippets import chosen_in_lesson
from torchwise.run.snippets import NoSuchSnippet

VIEWS = "02-tensors/views"


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def torchwise(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lessons", *arguments])


def test_the_list_marks_what_is_done() -> None:
    before = torchwise("list").stdout
    assert VIEWS in before and "✓" not in before and f"{len(course().lessons)} lessons, 0 done" in before
    assert torchwise("done", VIEWS).exit_code == 0
    line = next(line for line in torchwise("list").stdout.splitlines() if VIEWS in line)
    assert "✓" in line
    torchwise("done", VIEWS, "--undo")
    assert "✓" not in torchwise("list").stdout
    rows = json.loads(torchwise("list", "--output-format", "json").stdout)["modules"]
    assert [module["id"] for module in rows] == [module.id for module in course().modules]


def test_a_lesson_is_shown_whole_or_by_section() -> None:
    lesson = course().lessons[VIEWS]
    whole = torchwise("show", VIEWS).stdout
    assert lesson.head.goal.split()[0] in whole
    assert all(f"torchwise run {VIEWS}#{each.meta.name}" in whole for each in lesson.snippets)
    exercise = lesson.exercises[0]
    assert "one solution" not in whole and "one solution" in torchwise("show", VIEWS, "--solutions").stdout
    part = torchwise("show", f"{VIEWS}#{exercise.anchor}").stdout
    assert "broken: find the fault" in part and len(part) < len(whole) / 2
    shown = json.loads(torchwise("show", VIEWS, "--output-format", "json").stdout)
    assert [each["source"] for each in shown["cells"]] == [each.source for each in lesson.cells]


def test_links_of_ours_read_as_text_in_a_terminal() -> None:
    assert "](rule:" not in "".join(torchwise("show", lesson).stdout for lesson in course().lessons)


def test_search_prints_places_that_show_takes() -> None:
    found = torchwise("search", "strides", "--most", "3")
    assert found.exit_code == 0 and "02-tensors/" in found.stdout
    hits = json.loads(torchwise("search", "strides", "--output-format", "json").stdout)["hits"]
    assert torchwise("show", f"{hits[0]['lesson']}#{hits[0]['anchor']}").exit_code == 0
    nothing = torchwise("search", "zzzz")
    assert nothing.exit_code == 1 and "no section" in nothing.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "02-tensors/veiws"), "there is no lesson `02-tensors/veiws`; near it: 02-tensors/views"),
        (("show", f"{VIEWS}#nowhere"), "has no section `nowhere`; it has: "),
        (("done", "nothing"), "there is no lesson `nothing`"),
    ],
)
def test_what_is_not_there_is_said(arguments: tuple[str, ...], said: str) -> None:
    result = torchwise(*arguments)
    assert result.exit_code == 2 and said in result.stderr


# -- running -------------------------------------------------------------------------------------------------

PROGRAM = (
    cell("a = 1", "name: one"),
    cell("a = a.cuda()", "name: on-a-device", "tags: [cuda]"),
    cell("b = a + 1", "name: without", "shadows: on-a-device"),
    cell("int('x')", "name: fails", "tags: [raises-exception]", "raises: ValueError"),
    cell("c = 1", "exercise: find-it", "tags: [start]"),
    cell("c = 2", "exercise: find-it", "tags: [solution]"),
    cell("assert c == 2", "exercise: find-it", "tags: [check]"),
)


@pytest.fixture
def lesson(tmp_path: Path) -> str:
    path = tmp_path / "01-own.md"
    path.write_text(HEAD + "".join(PROGRAM))
    return str(path)


def codes(target: str, cuda: bool = False) -> tuple[list[str], list[str]]:
    found = chosen_in_lesson(target, cuda)
    assert found is not None
    return [each.code for each in found[1]], [each.code for each in found[2]]


def test_a_snippet_runs_after_those_before_it_and_without_those_of_another_device(lesson: str) -> None:
    assert codes(f"{lesson}#without") == (["a = 1"], ["b = a + 1"])
    assert codes(f"{lesson}#on-a-device", cuda=True) == (["a = 1"], ["a = a.cuda()"])
    assert codes(lesson) == ([], ["a = 1", "b = a + 1", "int('x')"])
    with pytest.raises(NoSuchSnippet, match="needs a CUDA device"):
        codes(f"{lesson}#on-a-device")
    with pytest.raises(NoSuchSnippet, match=r"has no snippet `x`; it has: one, .*, find-it"):
        codes(f"{lesson}#x")


def test_an_exercise_is_a_program_of_its_own(lesson: str) -> None:
    assert codes(f"{lesson}#find-it") == ([], ["c = 1", "assert c == 2"])
    assert codes(f"{lesson}#find-it/solution") == ([], ["c = 2", "assert c == 2"])


def test_what_is_no_lesson_is_left_to_others(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\n```{code-cell}\n1\n```\n")
    assert chosen_in_lesson(f"{tmp_path}/notes.md#1", False) is None
    assert chosen_in_lesson("no/such/file.py", False) is None
    with pytest.raises(NoSuchSnippet, match="near it: 02-tensors/views"):
        chosen_in_lesson("02-tensors/view#a", False)


def test_a_lesson_runs_on_a_kernel_by_its_id(tmp_path: Path) -> None:
    first = course().lessons[VIEWS].snippets[0]
    command = [sys.executable, "-m", "torchwise", "run", f"{VIEWS}#{first.meta.name}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert LESSONS.joinpath("02-tensors").is_dir() and not list(tmp_path.iterdir())
