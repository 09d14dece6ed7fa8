"""A schedule that counts batches is stepped once an epoch.

Schedulers count calls of `step`, whatever they stand for. One whose length is given in batches (`len(loader) * epochs`)
and that steps once an epoch hardly gets off its first values: the rate never falls. Step it for every batch.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, spans

CODE, LEVEL, LESSON = "TW142", WARNING, "05-optimizers/schedules#cosine"

SETUP = """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    batches, epochs = [torch.ones(8, 4)] * 5, 4
    """

EXAMPLES = [
    Example(
        bad="""
            cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(batches))
            for epoch in range(epochs):
                for batch in batches:
                    optimizer.zero_grad()
                    head(batch).mean().backward()
                    optimizer.step()
                cosine.step()
                ^^^^^^^^^^^^^ runs once an epoch
            """,
        good="""
            cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(batches))
            for epoch in range(epochs):
                for batch in batches:
                    optimizer.zero_grad()
                    head(batch).mean().backward()
                    optimizer.step()
                    cosine.step()
            """,
        setup=SETUP,
        harm=lambda bad, good: bad["cosine"].get_last_lr()[0] > 0.05 > 1e-6 > good["cosine"].get_last_lr()[0],  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    def train(model, loader, optimizer, epochs):
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
        for epoch in range(epochs):
            for batch in loader:
                optimizer.zero_grad()
                model(batch).mean().backward()
                optimizer.step()
            scheduler.step()  # counted in epochs
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    steps = scope.seen("optimizer-stepped")
    for turn in scope.happenings("scheduler-stepped"):
        made = scope.made(turn.value, "made here")
        if not made or not turn.loops or "epoch" not in scope.loop_text(turn.loops[-1]):
            continue
        span = spans.in_batches(" ".join(scope.text_at(made[0][0]).split()))
        beside = any(s.loops == turn.loops and not s.detail for s in steps)
        within = any(s.loops[: len(turn.loops)] == turn.loops for s in steps)
        if span and within and not beside:
            yield Flag(
                turn.because[0],
                f"runs once an epoch, but the schedule is given in batches (`{span}`)",
                because=made,
            )
