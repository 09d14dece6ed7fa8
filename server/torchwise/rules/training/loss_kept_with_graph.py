"""Losses are collected over many steps together with their graphs.

A loss that is appended to a list, or added to a running total, keeps everything that was computed for it
alive, although
its graph can never be used again: a backward has freed it, or an optimizer has moved the weights since.
Memory grows with
every step. `loss.item()` (or `.detach()`) keeps the number alone.

Source: https://docs.pytorch.org/docs/stable/notes/faq.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW121", WARNING, "07-training/loop#what-to-watch"

SETUP = """
    from collections import defaultdict

    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    batches = [torch.ones(8, 4)] * 3
    curves, total = defaultdict(list), 0.0
    """

EXAMPLES = [
    Example(
        bad="""
            for batch in batches:
                loss = head(batch).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss
                ^^^^^^^^^^^^^ keeps the graph of every step alive
            """,
        good="""
            for batch in batches:
                loss = head(batch).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.detach()
            """,
        setup=SETUP,
        harm=lambda bad, good: bad["total"].grad_fn is not None and good["total"].grad_fn is None,  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            for batch in batches:
                loss = head(batch).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                curves["train"].append((loss, len(batch)))
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ keeps the graph of every step alive
            """,
        good="""
            for batch in batches:
                loss = head(batch).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                curves["train"].append((loss.item(), len(batch)))
            """,
        setup=SETUP,
        harm=lambda bad, good: bad["curves"]["train"][0][0].grad_fn and good["curves"]["train"][0][0] > 0,  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch

    def episode(policy, states, optimizer):
        kept = []
        for state in states:
            kept.append(policy(state).log())  # differentiated together, after the loop
        optimizer.zero_grad()
        torch.stack(kept).sum().backward()
        optimizer.step()
    """,
    """
    import torch

    def train(model, loader, optimizer):
        total = 0.0
        for batch in loader:
            loss = model(batch).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        return total
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for kept in scope.happenings("graph-kept"):
        call = scope.call_made(kept.ref)
        added = None if call is None else call["item"] or call["other"]
        loose = added is not None and added.text.replace(".", "").isidentifier() and added.tensor is not None
        yield kept.flag(
            "keeps the graph of every step alive, though it can never be differentiated again: `.item()` "
            "keeps the number alone",
            because=tuple((site, "recorded here") for site in kept.because[:1]),
            fix=append_to(added.at, ".detach()", f"Keep `{added.text}.detach()`")
            if added and loose
            else None,
        )
