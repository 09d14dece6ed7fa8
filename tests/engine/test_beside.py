"""Functions that are called with other values on other paths of their caller."""

from __future__ import annotations

from textwrap import dedent

import pytest

from torchwise.engine import Engine

PATH = "/project/code.py"
FLIP = """
import torch

def flip(x):
    return x.transpose(1, 2)

def outer(x):
    return flip(x)
"""
FLIPS = 5  # the row in which it is asked for an axis


def rows(text: str) -> list[int]:
    """The rows with an error."""
    engine = Engine()
    engine.set_text(PATH, FLIP + dedent(text))
    return [f.at.span.row for f in engine.findings(PATH) if f.severity == "error"]


def caller(one: str, other: str, through: str = "flip") -> str:
    return f"""
def {through}_either(flag):
    if flag:
        x = torch.zeros({one})
    else:
        x = torch.zeros({other})
    return {through}(x)
"""


@pytest.mark.parametrize("through", ["flip", "outer"])
def test_what_only_one_path_breaks_is_left_alone(through: str) -> None:
    assert rows(caller("3, 4", "3, 4, 5", through)) == []


@pytest.mark.parametrize("through", ["flip", "outer"])
def test_what_all_paths_break_is_said(through: str) -> None:
    assert rows(caller("3, 4", "3", through)) == [FLIPS]


def test_a_call_with_no_other_path_beside_it_speaks_for_itself() -> None:
    alone = "def alone():\n    return outer(torch.zeros(3, 4))\n"
    assert rows(caller("3, 4", "3, 4, 5", "outer") + alone) == [FLIPS]
    assert rows(alone + caller("3, 4", "3, 4, 5", "outer")) == [FLIPS]


def test_turns_of_a_loop_are_not_paths_beside_each_other() -> None:
    assert rows("for sizes in ((3, 4, 5), (3, 4)):\n    flip(torch.zeros(*sizes))\n") == [FLIPS]


def test_calls_that_follow_each_other_on_one_path_are_not_beside_each_other() -> None:
    assert rows(
        """
        from torch import nn

        class Flip(nn.Module):
            def forward(self, x):
                return x.transpose(1, 2)[0]

        nn.Sequential(Flip(), Flip())(torch.zeros(2, 3, 4))
        """
    ) == [FLIPS + 9]


def test_a_path_that_never_comes_to_the_place_has_nothing_to_say() -> None:
    assert rows(
        """
        def some(x):
            if x.shape[0] == 2:
                return x
            return x.transpose(1, 2)

        def either(flag):
            if flag:
                x = torch.zeros(3, 4)
            else:
                x = torch.zeros(2, 4)
            return some(x)
        """
    ) == [FLIPS + 8]


def test_an_edit_of_the_caller_is_seen() -> None:
    engine = Engine()
    said = []
    for other in ("3, 4, 5", "3", "3, 4, 5"):
        engine.set_text(PATH, FLIP + caller("3, 4", other))
        said.append(len(engine.findings(PATH)))
    assert said == [0, 1, 0]
