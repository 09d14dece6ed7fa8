"""An iterator over parameters is used a second time, when nothing is left in it.

`model.parameters()` gives a generator, and so does `filter` over it. The first to walk through it takes
everything:
an optimizer made from it a second time raises, clipping silently clips nothing, a loop does not run.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.parameters
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW119", WARNING, "05-optimizers/optimizers#what-an-optimizer-holds"

EXAMPLES = [
    Example(
        bad="""
            weights = head.parameters()
            optimizer = torch.optim.SGD(weights, lr=0.1)
            head(torch.ones(8, 4) * 100).mean().backward()
            nn.utils.clip_grad_norm_(weights, 1.0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing is left in the iterator
            optimizer.step()
            norm = head.weight.grad.norm()
            """,
        good="""
            weights = list(head.parameters())
            optimizer = torch.optim.SGD(weights, lr=0.1)
            head(torch.ones(8, 4) * 100).mean().backward()
            nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            norm = head.weight.grad.norm()
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            """,
        harm=lambda bad, good: bad["norm"] > 10 and good["norm"] < 1.01,  # type: ignore[operator]
    ),
    Example(
        bad="""
            weights = chain(head.parameters(), tail.parameters())
            optimizer = torch.optim.SGD(weights, lr=0.1)
            head(tail(torch.ones(8, 4) * 100)).mean().backward()
            nn.utils.clip_grad_norm_(weights, 1.0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing is left in the iterator
            optimizer.step()
            norm = tail.weight.grad.norm()
            """,
        good="""
            weights = [*head.parameters(), *tail.parameters()]
            optimizer = torch.optim.SGD(weights, lr=0.1)
            head(tail(torch.ones(8, 4) * 100)).mean().backward()
            nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            norm = tail.weight.grad.norm()
            """,
        setup="""
            from itertools import chain

            import torch
            from torch import nn

            torch.manual_seed(0)
            head, tail = nn.Linear(4, 1), nn.Linear(4, 4)
            """,
        harm=lambda bad, good: bad["norm"] > 10 and good["norm"] < 1.01,  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import itertools
    import torch

    def both(one, other):
        weights = list(itertools.chain(one.parameters(), other.parameters()))
        optimizer = torch.optim.SGD(weights, lr=0.1)
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        return optimizer
    """,
    """
    import torch

    def train(model, batches):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for batch in batches:
            optimizer.zero_grad()
            model(batch).mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # each call gives a new one
            optimizer.step()
    """,
    """
    def average(ema, model):
        mine, theirs = list(ema.parameters()), list(model.parameters())
        for _ in range(2):
            for one, other in zip(mine, theirs):  # lists can be walked through again
                one.data.copy_(other.data)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for walk in scope.happenings("exhausted-iterator"):
        made, first = walk.because
        call = scope.call_at(walk.at)
        raises = call is not None and call.tagged("optimizer")
        yield walk.flag(
            f"nothing is left in the iterator: `{scope.text_at(first)}` has walked through it",
            because=((made, "made here; a `list(...)` can be used again"), (first, "used up here")),
            level=ERROR if raises else None,
        )
