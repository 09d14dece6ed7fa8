"""A BatchNorm layer is frozen, and goes on changing in train mode.

`requires_grad_(False)` stops the training of its weights, not the update of its running mean and variance:
in train mode every batch moves them, and the frozen part drifts away from what it was trained as. Call
`eval()` on the frozen part after each `model.train()`, or override `train` in the model.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW424", WARNING, "07-training/better-models#freezing"

EXAMPLES = [
    Example(
        bad="""
            model.train()
            ^^^^^^^^^^^^^ updates its running statistics
            for _ in range(2):
                optimizer.zero_grad()
                model(torch.randn(8, 2) + 5).sum().backward()
                optimizer.step()
            """,
        good="""
            model.train()
            model[0].eval()
            for _ in range(2):
                optimizer.zero_grad()
                model(torch.randn(8, 2) + 5).sum().backward()
                optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            backbone = nn.Sequential(nn.Linear(2, 4, bias=False), nn.BatchNorm1d(4)).requires_grad_(False)
            model = nn.Sequential(backbone, nn.Linear(4, 1))
            optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
            """,
        harm=lambda bad, good: (
            bad["backbone"][1].num_batches_tracked == 2 and good["backbone"][1].num_batches_tracked == 0  # type: ignore[index]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4, bias=False), nn.BatchNorm1d(4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.randn(8, 2)).sum().backward()  # trained as a whole
        optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for forward in scope.seen("frozen-norm"):
        if forward.recording and scope.differentiates:
            layer, set_at = forward.detail.rpartition(".")[2], forward.because[1:]
            here = set_at[0] if set_at and scope.holds(set_at[0]) else forward.at
            yield Flag(
                here,
                f"the frozen {layer} in `{forward.callee}` updates its running statistics in train mode",
                because=((forward.at, "it is called here"), (forward.because[0], f"the {layer}")),
            )
