"""Anomaly mode is on while a model is trained.

It keeps a stack trace for each node of the graph and looks for NaN in whatever each one returns: training takes several
times as long. It is a tool for finding one place; switch it on where that is looked for.

Source: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from collections.abc import Iterator

from torchwise.fixes.edits import delete_statement
from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW221", HINT, "03-autograd/control#gradients-that-are-not-numbers"

EXAMPLES = [
    Example(
        bad="""
            torch.autograd.set_detect_anomaly(True)
            for batch in batches:
                optimizer.zero_grad()
                head(batch).mean().backward()
                optimizer.step()
                ^^^^^^^^^^^^^^^^ trains in anomaly mode
            """,
        good="""
            for batch in batches:
                optimizer.zero_grad()
                head(batch).mean().backward()
                optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches = [torch.ones(8, 4)] * 3
            """,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    def train(head, optimizer, batches, debug):
        torch.autograd.set_detect_anomaly(debug)  # as asked
        for batch in batches:
            optimizer.zero_grad()
            head(batch).mean().backward()
            optimizer.step()
    """,
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    with torch.autograd.detect_anomaly():
        head(torch.ones(2, 4)).mean().backward()  # once
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.happenings("optimizer-stepped"):
        modes = [r for r in step.regions if r.kind == "anomaly"]
        if step.in_loop and modes and modes[-1].mode == "on" and modes[-1].at is not None:
            on = scope.call_at(modes[-1].at)
            alone = on is not None and on.op == "set_detect_anomaly" and on.discarded
            yield step.flag(
                "trains in anomaly mode, which takes several times as long: it is for finding one place",
                because=((modes[-1].at, "switched on here"),),
                fix=delete_statement(on.at, "Leave it off", safe=False) if alone and on is not None else None,
            )
            return
