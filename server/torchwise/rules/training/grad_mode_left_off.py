"""Autograd is switched off in some turns of a training loop, and is still off in the next.

`torch.set_grad_enabled(False)` called as a statement holds until it is called again. A callback that does so
now and then
ends the training: the next loss has no graph. As a context manager it holds for its block.

Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW157", ERROR, "07-training/loop#evaluating"

EXAMPLES = [
    Example(
        bad="""
            def validate(epoch):
                if epoch % 2:
                    torch.set_grad_enabled(False)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing switches it on again
                    print(head(torch.ones(2, 4)).mean().item())

            for epoch in range(100):
                optimizer.zero_grad()
                head(torch.ones(8, 4)).mean().backward()
                optimizer.step()
                validate(epoch)
            """,
        good="""
            def validate(epoch):
                if epoch % 2:
                    with torch.set_grad_enabled(False):
                        print(head(torch.ones(2, 4)).mean().item())

            for epoch in range(100):
                optimizer.zero_grad()
                head(torch.ones(8, 4)).mean().backward()
                optimizer.step()
                validate(epoch)
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def fit(model, batches, optimizer, every):
        for epoch, batch in enumerate(batches):
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
            shown = epoch % every == 0
            if shown:
                torch.set_grad_enabled(False)
            print(model(batch).mean().item())
            if shown:
                torch.set_grad_enabled(True)
    """,
    """
    import torch

    def fit(model, phases, batches, optimizer):
        for phase in phases:
            for batch in batches:
                torch.set_grad_enabled(phase == "train")
                loss = model(batch).mean()
                if phase == "train":
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    always = {backward.ref for backward in scope.happenings("no-graph")}
    for backward in scope.seen("no-graph", "perhaps-no-graph"):
        off = backward.grad_off.at if backward.grad_off is not None else next(iter(backward.because), None)
        if off is not None and backward.ref not in always and backward.comes_round_from(off):
            yield Flag(
                off,
                "switches autograd off, and nothing switches it on again before the next backward",
                because=((backward.at, "finds no graph then"),),
            )
