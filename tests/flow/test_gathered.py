"""Gradients that are gathered over parts, and cleared for each: across functions and by hand."""

from __future__ import annotations

from textwrap import dedent

import pytest

from torchwise.engine import Engine

PATH = "/project/code.py"
HEAD = """
import torch
from torch import nn
import torch.nn.functional as F

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [torch.randn(8, 4) for _ in range(32)]
every = 4

class Engine:
    def __init__(self, model):
        self.model, self.steps = model, 0
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def forward_backward(self, batch):
        self.optimizer.zero_grad()
        (self.model(batch).mean() / every).backward()

    def update(self):
        self.optimizer.step()

    def whole(self, batch):
        self.optimizer.zero_grad()
        (self.model(batch).mean() / every).backward()
        self.steps += 1
        if self.steps % every == 0:
            self.optimizer.step()

engine = Engine(model)
"""


def told(code: str, rule: str = "accumulation-cleared") -> list[str]:
    """The lines of which the rule speaks."""
    made, text = Engine(), HEAD + dedent(code)
    made.set_text(PATH, text)
    found = [text.splitlines()[f.at.span.row - 1].strip() for f in made.findings(PATH) if f.name == rule]
    assert made.crashes == []
    return found


@pytest.mark.parametrize("clears", ["optimizer", "model"])
def test_a_step_after_the_loop_has_the_last_batch(clears: str) -> None:
    code = f"""
    for epoch in range(3):
        for batch in batches:
            {clears}.zero_grad()
            model(batch).mean().backward()
        optimizer.step()
    """
    assert told(code) == [f"{clears}.zero_grad()"]


@pytest.mark.parametrize(
    "loop",
    [
        "for i, batch in enumerate(batches):\n    engine.forward_backward(batch)\n"
        "    if (i + 1) % every == 0:\n        engine.update()\n",
        "for epoch in range(3):\n    [engine.forward_backward(b) for b in batches]\n    engine.update()\n",
        "for batch in batches:\n    engine.whole(batch)\n",
    ],
)
def test_clearing_and_stepping_may_stand_in_methods(loop: str) -> None:
    assert told(loop) == ["self.optimizer.zero_grad()"]


@pytest.mark.parametrize(
    "put",
    ["p.grad.copy_(total)", "p.grad = total", "p.grad.data.copy_(total)", "p.grad.add_(total - p.grad)"],
)
def test_gradients_that_are_gathered_by_hand_are_no_rest(put: str) -> None:
    code = f"""
    for step in range(10):
        totals = [torch.zeros_like(p) for p in model.parameters()]
        for batch in batches:
            optimizer.zero_grad()
            model(batch).mean().backward()
            for total, p in zip(totals, model.parameters()):
                total += p.grad
        for total, p in zip(totals, model.parameters()):
            {put}
        optimizer.step()
    """
    assert told(code) == []


def test_a_try_that_may_be_left_is_no_part() -> None:
    code = """
    for batch in batches:
        for attempt in range(3):
            optimizer.zero_grad()
            model(batch + attempt).mean().backward()
            if torch.isfinite(nn.utils.clip_grad_norm_(model.parameters(), 1.0)):
                break
        optimizer.step()
    """
    assert told(code) == []


@pytest.mark.parametrize("clear", ["p.grad = None", "p.grad.zero_()", "p.grad.data.zero_()"])
def test_gradients_of_groups_are_cleared_in_a_function(clear: str) -> None:
    code = f"""
    def clear(trainer):
        for group in trainer.optimizer.param_groups:
            for p in group["params"]:
                {clear}

    for batch in batches:
        engine.model(batch).mean().backward()
        engine.optimizer.step()
        clear(engine)
    """
    assert told(code, "missing-zero-grad") == []


HOOKS = """
class Probe:
    def after_step(self, trainer):
        if trainer.steps % 20:
            return
        trainer.model.eval()
        BACK

class Log:
    def after_step(self, trainer):
        pass

class Trainer:
    def __init__(self, model, hooks):
        self.model, self.hooks, self.steps = model, hooks, 0

    def tell(self, event):
        for hook in self.hooks:
            getattr(hook, event)(self)

    def fit(self):
        self.model.train()
        for batch in batches:
            optimizer.zero_grad()
            self.model(batch).mean().backward()
            optimizer.step()
            self.steps += 1
            self.tell("after_step")

Trainer(model, [Probe(), Log()]).fit()
"""


def test_what_a_counter_keeps_a_called_function_from_runs_in_a_later_turn() -> None:
    rule = "train-mode-not-restored"
    assert told(HOOKS.replace("BACK", ""), rule) == ["trainer.model.eval()"]
    assert told(HOOKS.replace("BACK", "trainer.model.train()"), rule) == []
