"""Functions that Dynamo gives up as a whole: only the first break in them is told."""

from __future__ import annotations

from textwrap import dedent

from torchwise.engine import Engine

PATH = "/project/code.py"


def broken_lines(code: str) -> list[int]:
    """The lines with a graph break, from 1."""
    engine = Engine()
    engine.set_text(PATH, "import torch\n" + dedent(code).lstrip("\n"))
    found = [f for f in engine.findings(PATH) if f.name.startswith("graph-break")]
    return sorted({f.at.span.row for f in found})


def test_breaks_in_a_row_are_all_told() -> None:
    assert broken_lines(
        """
        @torch.compile
        def f(x):
            print("in")
            y = x.relu().sum().item()
            return x * y
        """
    ) == [4, 5]


def test_what_follows_a_break_in_a_loop_breaks_nothing_any_more() -> None:
    assert broken_lines(
        """
        @torch.compile
        def f(x):
            for i in range(3):
                print(i)
            y = x.relu().sum().item()
            return x * y
        """
    ) == [5]


def test_what_follows_a_break_in_a_try_breaks_nothing_any_more() -> None:
    assert broken_lines(
        """
        @torch.compile
        def f(x):
            try:
                print("in")
            except ValueError:
                pass
            return x * x.relu().sum().item()
        """
    ) == [5]


def test_a_recurrent_layer_leaves_the_rest_to_python() -> None:
    assert broken_lines(
        """
        rnn = torch.nn.GRU(4, 4)

        @torch.compile
        def f(x):
            y, _ = rnn(x)
            print("out")
            return y
        """
    ) == [6]
