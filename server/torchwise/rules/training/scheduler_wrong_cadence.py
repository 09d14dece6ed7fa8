"""A schedule that counts epochs is stepped for every batch, or one that counts batches once an epoch.

Schedulers count calls of `step`, whatever they stand for. `T_max`, `step_size` or `total_steps` given in epochs and
`scheduler.step()` in the loop over batches runs the schedule out within the first epochs: the rate falls to nothing,
swings up again, or `OneCycleLR` raises. Step it once an epoch, or count in batches.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading

from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Happening, Reading, spans

CODE, LEVEL, LESSON = "TW126", WARNING, "05-optimizers#schedulers"
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
    for call in scope.calls_tagged("scheduler-step"):
        scheduler = call["self"]
        if scheduler is None or not call.loops:
            continue
        optimizer_steps = [
            c for c in scope.calls_to("step") if c.loops == call.loops and not c.tagged("scheduler-step")
        ]
        if not optimizer_steps or "epoch" in scope.loop_text(call.loops[-1]):
            continue
        span = _counts_outer_loop(scope, call, scheduler) or _in_epochs(scope, scheduler)
        if span is not None:
            yield call.flag(
                f"runs for every batch, but the schedule is given in epochs (`{span}`)",
                because=tuple((site, "made here") for site in scheduler.places[:1]),
            )


def _counts_outer_loop(scope: Reading, call: Call, scheduler: Operand) -> str | None:
    """The span of the schedule, where it is how often a loop further out than the innermost one turns."""
    for made in filter(None, map(scope.call_at, scheduler.places)):
        span = made["T_max"] or made["total_steps"]
        for loop in call.loops[:-1] if span is not None else ():
            if span is not None and scope.turns(loop, span):
                return span.text
    return None


def _in_epochs(scope: Reading, scheduler: Operand) -> str | None:
    """The span of the schedule as it is written where the scheduler is made, if that is a number of
    epochs.
    """
    for site in scheduler.places:
        text = " ".join(scope.text_at(site).split())
        found = IN_EPOCHS.search(text)
        if found:
            return found.group(2) or found.group(3)
    return None

    steps = scope.seen("optimizer-stepped")
    for turn in scope.happenings("scheduler-stepped"):
        made = scope.made(turn.value, "made here")
        text = " ".join(scope.text_at(made[0][0]).split()) if made and turn.loops else ""
        said = _said(scope, turn, steps, text) if text else ""
        if said:  # where the scheduler steps, which may be in a function that is called
            yield Flag(turn.because[0], said, because=made, level=HINT if "changes" in said else None)


def _said(scope: Reading, turn: Happening, steps: list[Happening], text: str) -> str:
    epochs = "epoch" in scope.loop_text(turn.loops[-1])
    beside = [s for s in steps if s.loops == turn.loops]
    within = [s for s in steps if s.loops[: len(turn.loops)] == turn.loops and s not in beside]
    around = [scope.name.lower(), *(scope.loop_text(loop) for loop in turn.loops[:-1])]
    if beside and not epochs and (span := spans.in_epochs(text)):
        return f"runs for every batch, but the schedule is given in epochs (`{span}`)"
    if beside and not epochs and any("epoch" in a for a in around) and (span := spans.few(text)):
        return f"runs for every batch: the rate changes every {span} batches"
    if within and not beside and epochs and (span := spans.in_batches(text)):
        return f"runs once an epoch, but the schedule is given in batches (`{span}`)"
    return ""
