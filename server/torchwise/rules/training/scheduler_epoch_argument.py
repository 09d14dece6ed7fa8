"""`scheduler.step` is given the epoch.

Schedulers count their own steps. Passing the number of the epoch is deprecated: it goes by a second
formula that
restarts the schedule, and warns. `CosineAnnealingWarmRestarts` takes a fraction of an epoch, and
`ReduceLROnPlateau` a metric: these are right.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW113", HINT, "05-optimizers/schedules#what-a-scheduler-is"
SCHEDULERS = "torch.optim.lr_scheduler."
TAKES_ONE = tuple(
    SCHEDULERS + n
    for n in ("ReduceLROnPlateau", "CosineAnnealingWarmRestarts", "LRScheduler", "SequentialLR")
)

EXAMPLES = [
    Example(
        bad="""
            for epoch in range(3):
                loss = (weight ** 2).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step(epoch)
                ^^^^^^^^^^^^^^^^^^^^^ `StepLR` counts its own steps
            """,
        good="""
            for epoch in range(3):
                loss = (weight ** 2).sum()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
            """,
        setup="""
            import torch

            weight = torch.ones(2, requires_grad=True)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5)
            """,
    ),
]

SILENT = [
    """
    def end_of_epoch(scheduler, metric):
        scheduler.step(metric)  # may be one that takes a metric
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_tagged("scheduler-step"):
        if "epoch" not in call or call.owner in TAKES_ONE or "::" in call.owner:
            continue
        if call.owner:
            yield call.flag(
                f"`{call.owner.rpartition('.')[2]}` counts its own steps: passing the epoch is deprecated",
                fix=replace_with(call.at, f"{call.name}()", "Call `step()` without it", safe=False),
            )
