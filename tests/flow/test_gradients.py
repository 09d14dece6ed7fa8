"""Gradients across functions: what fills them, what only looks at them, and what clears them in between."""

from tests.flow.seen import events

HEAD = """
import torch
from torch import nn

class Loop:
    def __init__(self, net):
        self.net, self.optimizer = net, torch.optim.SGD(net.parameters(), lr=0.1)

    def differentiate(self, batch):
        DIFFERENTIATE

    def update(self):
        self.optimizer.step()

    def run(self, batches):
        for batch in batches:
            TURN

Loop(nn.Linear(4, 1)).run([torch.ones(2, 4)] * 3)
"""
KINDS = ("step-on-clear", "step-on-wasted", "stale-step")
BACKWARD = "self.net(batch).mean().backward()"


def found(turn: str, differentiate: str = BACKWARD) -> set[str]:
    turn = turn.replace("; ", "\n            ")
    code = HEAD.replace("DIFFERENTIATE", differentiate).replace("TURN", turn)
    return {kind for kind, _ in events(code, *KINDS)}


def test_gradients_cleared_between_two_helpers_are_wasted() -> None:
    assert "step-on-wasted" in found("self.differentiate(batch); self.optimizer.zero_grad(); self.update()")
    assert found("self.optimizer.zero_grad(); self.differentiate(batch); self.update()") == set()


def test_a_helper_that_only_looks_at_gradients_fills_none() -> None:
    looks = "return torch.autograd.grad(self.net(batch).mean(), list(self.net.parameters()))"
    assert found("self.differentiate(batch); self.update()", looks) == {"step-on-clear"}


def test_gradients_assigned_by_name_are_not_known() -> None:
    assigns = "setattr(self.net.weight, 'grad', batch[:1]); setattr(self.net.bias, 'grad', batch[0, :1])"
    assert found("self.differentiate(batch); self.update()", assigns) == set()


def test_backward_into_some_leaves_reaches_those_alone() -> None:
    code = """
import torch
from torch import nn

actor, critic = nn.Linear(4, 2), nn.Linear(2, 1)
for_actor, for_critic = [torch.optim.SGD(net.parameters(), lr=0.1) for net in (actor, critic)]
for batch in [torch.ones(2, 4)] * 3:
    for_critic.zero_grad()
    critic(actor(batch).detach()).mean().backward()
    for_critic.step()
    CLEAR
    critic(actor(batch)).mean().backward(inputs=list(actor.parameters()))
    for_actor.step()
"""
    assert events(code.replace("CLEAR", "for_actor.zero_grad()"), *KINDS) == []
    assert events(code.replace("CLEAR", "pass"), *KINDS) == [("stale-step", "for_actor.step()")]


def test_backward_into_leaves_that_are_not_known_proves_nothing() -> None:
    code = """
import torch
from torch import nn

def train(net, chosen, batches):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        net(batch).mean().backward(inputs=chosen)
        optimizer.step()

train(nn.Linear(4, 1), unknown(), [torch.ones(2, 4)] * 3)
"""
    assert events(code, *KINDS) == []
