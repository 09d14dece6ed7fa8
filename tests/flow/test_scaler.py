"""A gradient scaler counts what is called since its last update, whatever stands between."""

from __future__ import annotations

from textwrap import dedent

from torchwise.engine import Engine

PATH = "/project/code.py"
HEAD = """
import argparse

import torch
from torch import nn

head = nn.Linear(4, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
batches = [torch.ones(8, 4)] * 2
"""


def told(code: str) -> list[tuple[str, str]]:
    """The lines that are told of, and what is said first."""
    made, text = Engine(), HEAD + dedent(code)
    made.set_text(PATH, text)
    rows = [(text.splitlines()[f.at.span.row - 1].strip(), f.message) for f in made.findings(PATH)]
    assert made.crashes == []
    return rows


def test_a_step_without_an_update_is_one_too_many() -> None:
    ((line, message),) = told("""
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(head(batch).mean()).backward()
        scaler.step(optimizer)
    """)
    assert line == "scaler.step(optimizer)"
    assert message.startswith("`step` was already called since the last `scaler.update()`")


UPDATER = """
def options(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp", action=argparse.BooleanOptionalAction, default=AMP)
    return parser.parse_args(argv)

class Updater:
    def __init__(self, enabled):
        self.scaler = torch.amp.GradScaler("cpu", enabled=enabled)

    def accumulate(self, loss, last):
        self.scaler.scale(loss).backward()
        EARLY
        if last:
            LATE
            self.scaler.step(optimizer)
            self.scaler.update()
            optimizer.zero_grad()

updater = Updater(options([]).amp)
for number in range(100):
    updater.accumulate(head(batches[0]).mean(), number % 4 == 3)
"""
UNSCALE = "self.scaler.unscale_(optimizer)"


def updater(early: str = "pass", late: str = "pass", amp: str = "True") -> list[str]:
    found = told(UPDATER.replace("EARLY", early).replace("LATE", late).replace("AMP", amp))
    return [line for line, _ in found]


def test_unscaling_each_part_is_told_where_it_is_done() -> None:
    assert updater(early=UNSCALE) == [UNSCALE]


def test_unscaling_before_the_step_is_right() -> None:
    assert updater(late=UNSCALE) == []


def test_a_scaler_that_an_option_turns_off_counts_nothing() -> None:
    assert updater(early=UNSCALE, amp="False") == []


def test_a_step_that_is_left_out_for_its_norm_is_to_be_updated_after() -> None:
    late = "norm = nn.utils.clip_grad_norm_(head.parameters(), 1.0)\n        last = norm < 10"
    assert updater(early=f"{UNSCALE}\n        {late}") == ["self.scaler.update()"]
