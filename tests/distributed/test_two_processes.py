"""Distributed programs in two processes over gloo: the analyser speaks of what deadlocks or drifts apart."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed.programs import BEGIN, HEAD, PROGRAMS, Program
from tests.rules.examples import findings

PAIR = Path(__file__).with_name("pair.py")
PATIENCE_S = 400  # of a machine that does other things too; by itself it takes a few seconds
WAIT_S = 2

Outcome = dict[str, dict[str, object]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Outcome]:
    """What each of the two processes came to, by program."""
    folder = tmp_path_factory.mktemp("pair")
    asked = {p.name: (HEAD + p.code, WAIT_S if p.ends == "waiting" else PATIENCE_S) for p in PROGRAMS}
    (folder / "programs.json").write_text(json.dumps(asked))
    command = [sys.executable, str(PAIR), "programs.json"]
    running = [
        subprocess.Popen(
            command, cwd=folder, env={**os.environ, "RANK": str(rank)}, stderr=subprocess.PIPE, text=True
        )
        for rank in range(2)
    ]
    try:
        errors = [each.communicate(timeout=PATIENCE_S)[1] for each in running]
    finally:
        for each in running:
            each.kill()
    assert [each.returncode for each in running] == [0, 0], errors
    first, second = (json.loads((folder / f"found-{rank}.json").read_text()) for rank in range(2))
    return first, second


def waited(outcome: dict[str, object]) -> bool:
    return "timed out" in str(outcome.get("text", "")).lower()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_a_program_ends_as_it_is_said_to(program: Program, outcomes: tuple[Outcome, Outcome]) -> None:
    pair = [each[program.name] for each in outcomes]
    if program.ends == "well":
        assert [each.get("trace", "") for each in pair] == ["", ""]
    elif program.ends == "waiting":
        assert any(waited(each) for each in pair), pair
    else:
        assert any(each.get("raised") == program.ends for each in pair), pair


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_the_analyser_says_so(program: Program) -> None:
    found = findings(HEAD + BEGIN + program.code)
    assert tuple(f.name for f in found if f.severity != "hint") == program.says


def told(outcomes: tuple[Outcome, Outcome], name: str, what: str) -> list[object]:
    return [each[name]["told"].get(what) for each in outcomes]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "what", "alike"),
    [
        ("averaged", "weight", True),
        ("bypassed", "weight", False),
        ("wrapper compiled", "grad", True),
        ("compiled, then wrapped", "grad", True),
        ("compiled beside the wrapper", "grad", False),
        ("saved by one", "weight", True),
    ],
)
def test_replicas_are_alike_where_the_wrapper_is_called(
    name: str, what: str, alike: bool, outcomes: tuple[Outcome, Outcome]
) -> None:
    first, second = told(outcomes, name, what)
    assert first is not None and (first == second) is alike


def test_a_file_is_written_by_all_or_by_one(outcomes: tuple[Outcome, Outcome]) -> None:
    assert told(outcomes, "saved by all", "written") == [True, True]
    assert told(outcomes, "saved by one", "written") == [True, None]


def test_conversion_keeps_what_the_wrapper_holds(outcomes: tuple[Outcome, Outcome]) -> None:
    assert told(outcomes, "wrapped, then converted", "same") == [True, True]


def test_an_optimizer_from_before_sharding_trains_nothing(outcomes: tuple[Outcome, Outcome]) -> None:
    assert told(outcomes, "from the inside out", "changed") == [[True] * 4] * 2
    assert told(outcomes, "optimizer first", "changed") == [[False] * 4] * 2


def test_epochs_are_alike_where_the_sampler_is_not_told(outcomes: tuple[Outcome, Outcome]) -> None:
    for first, second in told(outcomes, "never told of the epoch", "epochs"):  # type: ignore[misc]
        assert first == second
    for first, second in told(outcomes, "told of the epoch", "epochs"):  # type: ignore[misc]
        assert first != second
    (mine, _), (theirs, _) = told(outcomes, "told of the epoch", "epochs")  # type: ignore[misc]
    assert sorted([*mine, *theirs]) == list(range(8))
