"""An optimizer steps parameters that no backward reaches.

The loss does not depend on what this optimizer holds: it was made for another model, or what it holds was detached or
left out of the computation. Parameters without gradients are skipped silently, and nothing is learnt.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.step.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW137", WARNING, "05-optimizers/optimizers#what-an-optimizer-holds"

EXAMPLES = [
    Example(
        bad="""
            for batch in batches:
                optimizer.zero_grad()
                judge(maker(batch).detach()).mean().backward()
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ gives no gradients to what `optimizer.step()` steps
                optimizer.step()
            """,
        good="""
            for batch in batches:
                optimizer.zero_grad()
                judge(maker(batch)).mean().backward()
                optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            maker, judge = nn.Linear(4, 4), nn.Linear(4, 1)
            before = maker.weight.detach().clone()
            optimizer = torch.optim.SGD(maker.parameters(), lr=0.1)
            batches = [torch.ones(8, 4)] * 3
            """,
        harm=lambda bad, good: (
            bad["maker"].weight.equal(bad["before"]) and not good["maker"].weight.equal(good["before"])
        ),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 1)
    encoder.layers[0].norm1.bias.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in encoder.parameters() if p.requires_grad])
    for _ in range(3):
        optimizer.zero_grad()
        encoder(torch.randn(2, 5, 8)).sum().backward()
        optimizer.step()  # holds most of them
    """,
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    rates = []
    for _ in range(100):
        optimizer.step()  # for the scheduler's sake: nothing is trained
        schedule.step()
        rates.append(schedule.get_last_lr()[0])
    """,
    """
    import torch
    from torch import nn

    head, tail = nn.Linear(4, 4), nn.Linear(4, 1)
    optimizers = [torch.optim.SGD(part.parameters(), lr=0.1) for part in (head, tail)]
    for _ in range(10):
        tail(head(torch.ones(2, 4))).mean().backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    """,
    """
    from torch import nn

    class Head(nn.Linear):
        def clip(self, limit):
            return nn.utils.clip_grad_norm_(self.parameters(), limit)  # called who knows when
    """,
    """
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    weight.square().sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    optimizer.step()  # gradients of zero: momentum goes on
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    backward = scope.calls_to("backward")
    known = bool(backward) and all((root := b["self"]) is not None and root.whole_graph for b in backward)
    for step in scope.happenings("step-on-clear", always=True) if known else ():
        wasted = any(h.ref == step.ref for h in scope.seen("step-on-wasted", "unheld-step"))
        before = [b for b in backward if b.ref < step.ref and b.loops[: len(step.loops)] == step.loops]
        if not wasted and before:
            last, made = before[-1], scope.made(step.value, "made here")
            if any(last.ref < other.ref < step.ref for other in scope.seen("optimizer-stepped")):
                yield step.flag(  # that backward was meant for another step
                    "steps what has no gradients: no backward reaches the parameters that it holds",
                    because=((last.at, "this backward goes elsewhere"), *made),
                )
                continue
            yield last.flag(
                f"gives no gradients to what `{step.text}` steps, and nor does any other backward",
                because=((step.at, "stepped here, without gradients"), *made),
            )
