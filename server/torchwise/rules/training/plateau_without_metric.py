"""`ReduceLROnPlateau.step` is called without the number that it watches.

This scheduler lowers the rate when a validation metric stops improving, so every `step` needs the metric.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW112", ERROR, "05-optimizers/schedules#when-the-metric-stands-still"

EXAMPLES = [
    Example(
        bad="""
            for epoch in range(2):
                optimizer.step()
                scheduler.step()
                ^^^^^^^^^^^^^^^^ needs the metric that it watches
            """,
        good="""
            for epoch in range(2):
                optimizer.step()
                scheduler.step(0.5)
            """,
        setup="""
            import torch

            weight = torch.ones(2, requires_grad=True)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    def end_of_epoch(scheduler):
        scheduler.step()  # most schedulers need no metric
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("torch.optim.lr_scheduler.ReduceLROnPlateau.step"):
        for _ in call.breaks("argument"):
            yield call.flag(f"`{call.text}` needs the metric that it watches: `{call.name}(validation_loss)`")
