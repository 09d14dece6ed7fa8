"""A schedule that counts epochs is stepped for every batch.

Schedulers count calls of `step`, whatever they stand for. `T_max`, `step_size` or `total_steps` given in epochs and
`scheduler.step()` in the loop over batches runs the schedule out within the first epochs: the rate falls to nothing,
swings up again, or `OneCycleLR` raises. Step it once an epoch, or count in batches.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Happening, Reading, Site, spans

CODE, LEVEL, LESSON = "TW126", WARNING, "05-optimizers/schedules#cosine"
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
            scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=epochs)
            for epoch in range(epochs):
                for batch in batches:
                    optimizer.zero_grad()
                    head(batch).mean().backward()
                    optimizer.step()
                    scheduler.step()
                    ^^^^^^^^^^^^^^^^ runs for every batch
            """,
        good="""
            scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=epochs)
            for epoch in range(epochs):
                for batch in batches:
                    optimizer.zero_grad()
                    head(batch).mean().backward()
                    optimizer.step()
                scheduler.step()
            """,
        setup=SETUP,
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch

    def train(model, loader, optimizer, rounds):
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=rounds)
        for number in range(rounds):
            for batch in loader:
                optimizer.zero_grad()
                model(batch).mean().backward()
                optimizer.step()
            scheduler.step()  # once a round
    """,
    """
    import torch

    def train(model, loader, optimizer, epochs):
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
        for epoch in range(epochs):
            for batch in loader:
                optimizer.zero_grad()
                model(batch).mean().backward()
                optimizer.step()
                scheduler.step()  # counted in batches
    """,
    """
    import torch
    def train(model, batch, optimizer, epochs):
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
        for epoch in range(epochs):
            model(batch).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            scheduler.step()  # one batch is an epoch
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    steps = scope.seen("optimizer-stepped")
    for turn in scope.happenings("scheduler-stepped"):
        made = scope.made(turn.value, "made here")
        if not made or not turn.loops or "epoch" in scope.loop_text(turn.loops[-1]):
            continue
        text = " ".join(scope.text_at(made[0][0]).split())
        if any(
            s.loops == turn.loops and not s.detail for s in steps
        ):  # flagged where it steps, maybe in what is called here
            span, few = _outer_turns(scope, turn, made[0][0]) or spans.in_epochs(text), spans.few(text)
            if span:
                said = f"runs for every batch, but the schedule is given in epochs (`{span}`)"
                yield Flag(turn.because[0], said, because=made)
            elif few and _in_epoch(scope, turn):
                said = f"runs for every batch: the rate changes every {few} batches"
                yield Flag(turn.because[0], said, because=made, level=HINT)


def _in_epoch(scope: Reading, turn: Happening) -> bool:
    around = [scope.name.lower(), *(scope.loop_text(loop) for loop in turn.loops[:-1])]
    return any("epoch" in a for a in around)


def _outer_turns(scope: Reading, turn: Happening, site: Site) -> str | None:
    """The span of the schedule, where it is how often a loop further out than the innermost one turns."""
    made = scope.call_at(site)
    span = None if made is None else made["T_max"] or made["total_steps"]
    return span.text if span is not None and any(scope.turns(o, span) for o in turn.loops[:-1]) else None
