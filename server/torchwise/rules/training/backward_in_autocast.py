"""`backward` is called inside of an autocast block.

Each operator's backward runs in the dtype that its forward chose; autocast has nothing to do with it, and torch's
documentation asks for leaving the block first. What the block still changes are the backwards of custom Functions, whose
operations are then cast once more.

Source: https://docs.pytorch.org/docs/stable/amp.html#autocasting
"""

from collections.abc import Iterator

from torchwise.fixes.edits import rewrite
from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW149", HINT, "07-training/precision#autocast"


EXAMPLES = [
    Example(
        bad="""
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = Squares.apply(features * weight)
                loss.backward()
                ^^^^^^^^^^^^^^^ runs under autocast
            """,
        good="""
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = Squares.apply(features * weight)
            loss.backward()
            """,
        setup="""
            import torch

            class Squares(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x.square().sum()

                @staticmethod
                def backward(ctx, gradient):
                    (x,) = ctx.saved_tensors
                    return gradient * (x.unsqueeze(0) @ (2 * torch.eye(len(x)))).squeeze(0)

            weight, features = torch.ones(3, requires_grad=True), torch.tensor([1.001, 2.003, 3.007])
            """,
        harm=lambda bad, good: not bad["weight"].grad.equal(good["weight"].grad),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    def step(head, batch, amp):
        with torch.autocast("cpu", enabled=amp):  # perhaps not
            loss = head(batch).mean()
            loss.backward()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.calls_to("Tensor.backward"):
        region = backward.under("autocast")
        if region is not None and region.at is not None and region.mode not in ("off", ""):
            yield backward.flag(
                "runs under autocast, which is meant for the forward alone",
                because=((region.at, "this autocast"),),
                fix=rewrite(region.at, "leave-before-backward", "Leave the block before it")
                if scope.holds(region.at)
                else None,
            )
