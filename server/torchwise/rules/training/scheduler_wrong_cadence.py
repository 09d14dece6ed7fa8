"""A schedule that counts epochs is stepped for every batch.

Schedulers count calls of `step`, whatever they stand for. `T_max`, `step_size` or `total_steps` given in
epochs and
`scheduler.step()` in the loop over batches runs the schedule out within the first epochs: the rate falls
to nothing,
swings up again, or `OneCycleLR` raises. Step it once an epoch, or count in batches.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW126", WARNING, "05-optimizers#schedulers"
SPANS = "total_steps|T_max|step_size|total_iters|T_0"
IN_EPOCHS = re.compile(
    rf"\b({SPANS})\s*=\s*([\w.]*?_?(?:n_?|num_?|max_?)?epochs?)\s*[,)]|^[\w.]+\(\s*[\w.]+,\s*([\w.]*?epochs?)\s*[,)]"
)

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
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches, epochs = [torch.ones(8, 4)] * 5, 4
            """,
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
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
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
