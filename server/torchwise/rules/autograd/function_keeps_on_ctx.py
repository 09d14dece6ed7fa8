"""A custom Function keeps an input or its output as an attribute of `ctx`.

`ctx.save_for_backward` lets go of the tensors when the graph is freed, and checks that nobody has changed
them. `ctx.y = y` does neither: an
output kept so is part of a circle that leaks memory, and an in-place change afterwards gives wrong
gradients without a word. What is
neither an input nor an output (an intermediate result, a number) may be an attribute.

Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.FunctionCtx.save_for_backward.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW213", WARNING, "03-autograd/custom#what-ctx-is-for"


def _change_goes_unnoticed(bad: dict[str, object], good: dict[str, object]) -> bool:
    return not bad["noticed"] and bool(good["noticed"])


EXAMPLES = [
    Example(
        bad="""
            class Exp(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    y = torch.exp(x)
                    ctx.y = y
                    ^^^^^^^^^ keeps its output outside `save_for_backward`
                    return y

                @staticmethod
                def backward(ctx, grad):
                    return grad * ctx.y

            noticed = changed_afterwards(Exp)
            """,
        good="""
            class Exp(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    y = torch.exp(x)
                    ctx.save_for_backward(y)
                    return y

                @staticmethod
                def backward(ctx, grad):
                    (y,) = ctx.saved_tensors
                    return grad * y

            noticed = changed_afterwards(Exp)
            """,
        setup="""
            import torch

            def changed_afterwards(function):
                values = function.apply(torch.ones(3, requires_grad=True))
                with torch.no_grad():
                    values.zero_()
                try:
                    values.sum().backward()
                except RuntimeError:
                    return True
                return False
            """,
        harm=_change_goes_unnoticed,
    ),
]

SILENT = [
    """
    import torch

    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, limit):
            ctx.limit = limit  # a number
            ctx.inside = x.abs() < limit  # neither input nor output
            return x.clamp(-limit, limit)

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.inside, None
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for kept in scope.seen("kept-on-ctx"):
        yield kept.flag(
            f"keeps {kept.detail} outside `save_for_backward`: changes go unnoticed, and memory leaks",
            part="statement",
        )
