"""Schedulers and optimizers that step in functions of their own."""

from tests.flow.seen import events

CODE = """
import torch
from torch import nn

class Rates:
    def __init__(self, schedule):
        self.schedule = schedule

    def run(self):
        self.schedule.step()

class Weights:
    def __init__(self, net, optimizer):
        self.net, self.optimizer = net, optimizer

    def run(self):
        self.net(torch.ones(2, 4)).mean().backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3)
RESUME
for _ in range(5):
    for stage in [STAGES]:
        stage.run()
"""
FIRST, LAST = "Rates(schedule), Weights(net, optimizer)", "Weights(net, optimizer), Rates(schedule)"


def found(stages: str, resume: str = "pass") -> list[tuple[str, str]]:
    return events(CODE.replace("STAGES", stages).replace("RESUME", resume), "scheduler-first")


def test_a_scheduler_that_goes_first_in_each_round_is_seen() -> None:
    assert found(FIRST) == [("scheduler-first", "self.schedule.step()")]


def test_one_that_follows_the_optimizer_is_not() -> None:
    assert found(LAST) == []


def test_rates_that_are_wound_forward_before_the_training_are_meant() -> None:
    assert found(LAST, "for _ in range(3): schedule.step()") == []


REPLACED = """
import torch
from torch import nn

class Session:
    def __init__(self):
        self.model = nn.Linear(4, 1)
        self.setup()

    def setup(self):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, 10)

    def again(self):
        AGAIN

    def epoch(self):
        self.optimizer.zero_grad()
        self.model(torch.ones(2, 4)).mean().backward()
        self.optimizer.step()

    def fit(self, epochs):
        for _ in range(epochs):
            self.epoch()
            self.schedule.step()

session = Session()
session.fit(50)
session.again()
session.fit(50)
"""


def test_a_schedule_is_left_behind_by_the_optimizer_that_replaces_its_own() -> None:
    alone = "self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)"
    assert events(REPLACED.replace("AGAIN", alone), "scheduler-left") == [
        ("scheduler-left", "self.schedule.step()")
    ]
    assert events(REPLACED.replace("AGAIN", "self.setup()"), "scheduler-left") == []
