"""`backward` is called on something that has no graph any more.

`.item()`, `.detach()`, `.data`, `torch.tensor(loss)`, `argmax`, comparisons and integer types leave a
number without
history. Nothing can flow back from it: `backward` raises, or, where `requires_grad` was set on the copy,
gives the model no
gradient at all.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW107", ERROR, "03-autograd/graph#backward"

EXAMPLES = [
    Example(
        bad="""
            loss = F.mse_loss(head(features).detach(), target)
            loss.backward()
            ^^^^^^^^^^^^^^^ `loss` has no graph
            """,
        good="""
            loss = F.mse_loss(head(features), target)
            loss.backward()
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            head = nn.Linear(4, 1)
            features, target = torch.ones(8, 4), torch.zeros(8, 1)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def penalty(value):
        loss = (value.detach() - value).pow(2).mean()
        loss.backward()  # one of the two still has its graph
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.happenings("no-graph"):
        origin = scope.call_at(backward.because[0]) if backward.because else None
        operand = origin["input"] if origin else None
        if backward.grad_off is not None or (operand and operand.constant is None):
            continue
        loss = backward.callee.removesuffix(".backward")
        made = tuple((site, "computed here without a graph") for site in backward.because[:1])
        yield backward.flag(f"`{loss}` has no graph: nothing that requires grad went into it", made)
