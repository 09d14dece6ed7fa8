"""A gradient scaler is used in an order that it refuses.

A `GradScaler` goes through four calls for every optimizer: `scale(loss).backward()`, perhaps `unscale_`, `step`,
and `update` at the end. It keeps count: a step without a scaled loss before it, and a second `unscale_` or `step`
before `update`, raise. A scaler made with `enabled=False` counts nothing, and nothing is said of it.

Source: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW105", ERROR, "07-training/precision#the-order-of-a-step"

SETUP = """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    batches = [torch.ones(8, 4)] * 2
    """

EXAMPLES = [
    Example(
        bad="""
            for batch in batches:
                optimizer.zero_grad()
                head(batch).mean().backward()
                scaler.step(optimizer)
                ^^^^^^^^^^^^^^^^^^^^^^ no loss went through `scaler.scale` before it
                scaler.update()
            """,
        good="""
            for batch in batches:
                optimizer.zero_grad()
                scaler.scale(head(batch).mean()).backward()
                scaler.step(optimizer)
                scaler.update()
            """,
        setup=SETUP,
        harm=AssertionError,
    ),
    Example(
        bad="""
            for number, batch in enumerate(batches):
                scaler.scale(head(batch).mean() / 2).backward()
                scaler.unscale_(optimizer)
                ^^^^^^^^^^^^^^^^^^^^^^^^^^ runs also where neither `step` nor `update` does
                if number == len(batches) - 1:
                    scaler.step(optimizer)
                    scaler.update()
                    optimizer.zero_grad()
            """,
        good="""
            for number, batch in enumerate(batches):
                scaler.scale(head(batch).mean() / 2).backward()
                if number == len(batches) - 1:
                    scaler.unscale_(optimizer)
                    scaler.step(optimizer)
                    scaler.update()
                    optimizer.zero_grad()
            """,
        setup=SETUP,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def train(model, batches, optimizer, use_amp):
        scaler = torch.amp.GradScaler("cpu", enabled=use_amp)  # may be one that counts nothing
        for batch in batches:
            optimizer.zero_grad()
            model(batch).mean().backward()
            scaler.step(optimizer)
            scaler.update()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("torch.amp.GradScaler.step", "torch.amp.GradScaler.unscale_"):
        scaler = call["self"].text if call["self"] else "scaler"
        for broken in call.breaks("scaler"):
            if broken.axis == "scale":
                yield call.flag(f"no loss went through `{scaler}.scale` before it: `{call.text}` raises")
                continue
            updates = [u for u in scope.calls_to("torch.amp.GradScaler.update") if u.ref > call.ref]
            before = scope.calls_to("torch.amp.GradScaler.unscale_", "torch.amp.GradScaler.step")
            again = call.breaks_at_once("scaler") and any(c.ref < call.ref for c in before)
            # it was someone else: what is called here is always followed by an update
            elsewhere = scope.always_runs(call.ref) and any(scope.always_runs(u.ref) for u in updates)
            if again or elsewhere or not updates:
                last = f"since the last `{scaler}.update()`"
                yield call.flag(f"`{broken.axis}` was already called {last}: `{call.text}` raises")
        if call.may_break("scaler"):
            yield from _skipped(scope, call)


def _skipped(scope: Reading, call: Call) -> Iterator[Flag]:
    """An update that some path goes round: the next `unscale_` or `step` on that path raises."""
    for update in scope.calls_to("torch.amp.GradScaler.update"):
        if update.ref > call.ref and not scope.always_follows(update.ref, call.ref):
            steps = [s for s in scope.calls_to("torch.amp.GradScaler.step") if call.ref < s.ref < update.ref]
            apart = steps and not any(scope.always_follows(s.ref, call.ref) for s in steps)
            if apart and not scope.asks_since(update.ref, call.ref):
                yield call.flag(
                    "runs also where neither `step` nor `update` does: after that it raises the next time",
                    because=((update.at, "until this has run, it may be called once"),),
                )
                continue
            yield update.flag(
                f"is left out on some path: `{call.text}` then raises the next time",
                because=((call.at, "raises where it was called before without an update"),),
            )
