"""The backward of a custom Function changes the gradient it was handed.

The same tensor may be on its way to other parts of the graph, where two paths meet in a sum: they then
receive the changed one. Compute a
new tensor instead.

Source: https://docs.pytorch.org/docs/stable/notes/extending.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW214", WARNING, "03-autograd/custom#the-rules"


def _other_branch_is_hit(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bad["straight"].grad.sum() != good["straight"].grad.sum()  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            class Slow(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x.view_as(x)

                @staticmethod
                def backward(ctx, grad):
                    return grad.mul_(0.1)
                           ^^^^^^^^^^^^^^ changes the gradient that it was handed

            (straight * 1 + Slow.apply(slowed * 1)).exp().sum().backward()
            """,
        good="""
            class Slow(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x.view_as(x)

                @staticmethod
                def backward(ctx, grad):
                    return grad * 0.1

            (straight * 1 + Slow.apply(slowed * 1)).exp().sum().backward()
            """,
        setup="""
            import torch

            straight, slowed = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
            """,
        harm=_other_branch_is_hit,
    ),
]

SILENT = [
    """
    import torch

    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad.clone().mul_(0.1)  # its own copy
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for write in scope.seen("gradient-written"):
        yield write.flag("changes the gradient that it was handed, which others may receive too")
