"""Context managers written as generators: the block runs between the two halves of the function."""

from tests.flow.seen import events

UPDATE = """
import contextlib
import torch
from torch import nn

@contextlib.contextmanager
def one_update(optimizer, model):
    BEFORE
    yield
    AFTER
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

def train(model, optimizer, batches):
    for batch in batches:
        with one_update(optimizer, model):
            BLOCK

model = nn.Linear(4, 1)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [torch.ones(2, 4)] * 3)
"""
KINDS = ("clip-on-clear", "clip-on-used", "step-on-clear", "step-on-wasted", "stale-step", "cleared-unused")


def found(
    before: str = "pass", after: str = "pass", block: str = "model(batch).mean().backward()"
) -> set[str]:
    code = UPDATE.replace("BEFORE", before).replace("AFTER", after).replace("BLOCK", block)
    return {event[0] for event in events(code, *KINDS)}


def test_gradients_that_the_block_makes_are_there_after_the_yield() -> None:
    assert found(before="optimizer.zero_grad()") == set()


def test_gradients_that_are_cleared_after_the_yield_are_wasted() -> None:
    assert "step-on-wasted" in found(after="optimizer.zero_grad()")


def test_gradients_that_nothing_clears_are_stepped_again() -> None:
    assert "stale-step" in found()


def test_a_block_without_a_backward_leaves_nothing_to_step() -> None:
    assert "step-on-clear" in found(before="optimizer.zero_grad()", block="model(batch).mean()")


def test_what_is_cleared_after_the_yield_is_clear_for_the_caller() -> None:
    code = (
        UPDATE.replace("BEFORE", "pass")
        .replace("    AFTER\n", "")
        .replace("BLOCK", "model(batch).mean().backward()")
    )
    code = code.replace("    optimizer.step()\n", "    optimizer.step()\n    optimizer.zero_grad()\n")
    assert {event[0] for event in events(code, *KINDS)} == set()


def test_a_generator_knows_nothing_of_gradients_after_a_yield() -> None:
    code = """
import torch
from torch import nn

def steps(model, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        yield model(batch).mean()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

model = nn.Linear(4, 1)
for loss in steps(model, torch.optim.SGD(model.parameters(), lr=0.1), [torch.ones(2, 4)] * 3):
    loss.backward()
"""
    assert events(code, *KINDS) == []
