"""A scheduler steps before its optimizer has.

The first value of the schedule is set where the scheduler is made. Stepping it before the first `optimizer.step()` leaves
that value out: a warm-up begins one step too late, and every later rate comes one step early.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW138", WARNING, "05-optimizers/schedules#what-a-scheduler-is"

EXAMPLES = [
    Example(
        bad="""
            for batch in batches:
                schedule.step()
                ^^^^^^^^^^^^^^^ comes before the first step of the optimizer
                optimizer.zero_grad()
                head(batch).mean().backward()
                used.append(optimizer.param_groups[0]["lr"])
                optimizer.step()
            """,
        good="""
            for batch in batches:
                optimizer.zero_grad()
                head(batch).mean().backward()
                used.append(optimizer.param_groups[0]["lr"])
                optimizer.step()
                schedule.step()
            """,
        setup="""
            import torch
            from torch import nn

            head, used = nn.Linear(4, 1), []
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
            batches = [torch.ones(8, 4)] * 3
            """,
        harm=lambda bad, good: good["used"][0] == 0.1 > bad["used"][0],  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    for _ in range(100):
        schedule.step()  # to see the rates: nothing is trained
        print(schedule.get_last_lr())
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    flagged = set()
    for call in scope.calls_tagged("scheduler-step"):
        if call.breaks_at_once("order") and (
            not call.always_breaks("order") or _stepped_after(scope, call.ref)
        ):
            flagged.add(call.ref)
            yield call.flag("comes before the first step of the optimizer, and leaves out the first rate")
    for step in scope.happenings("scheduler-first"):  # the optimizer steps in another function
        if step.ref not in flagged:
            yield step.flag("comes before the first step of the optimizer, and leaves out the first rate")


def _stepped_after(scope: Reading, ref: int) -> bool:
    return any(c.ref > ref and not c.tagged("scheduler-step") for c in scope.calls_to("step"))
