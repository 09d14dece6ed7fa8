"""The backward of a custom Function returns another number of gradients than its forward has inputs.

One gradient is needed for each argument of `forward` after `ctx`, in their order; for what needs none
(numbers, flags) that is None. torch
counts when backward runs, and raises.

Source: https://docs.pytorch.org/docs/stable/notes/extending.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW211", ERROR, "03-autograd/custom#the-rules"

EXAMPLES = [
    Example(
        bad="""
            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, factor):
                    ctx.factor = factor
                    return x * factor

                @staticmethod
                def backward(ctx, grad):
                    return grad * ctx.factor
                    ^^^^^^^^^^^^^^^^^^^^^^^^ gives 1 gradient, but `forward` has 2 inputs

            Scale.apply(weight, 2.0).sum().backward()
            """,
        good="""
            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, factor):
                    ctx.factor = factor
                    return x * factor

                @staticmethod
                def backward(ctx, grad):
                    return grad * ctx.factor, None

            Scale.apply(weight, 2.0).sum().backward()
            """,
        setup="""
            import torch

            weight = torch.ones(3, requires_grad=True)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            return inputs[0]

        @staticmethod
        def backward(ctx, grad):
            return grad, None, None  # as many as were given
    """,
    """
    import torch

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor=2.0):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor  # nobody gives a factor

    Scale.apply(torch.ones(3, requires_grad=True)).sum().backward()
    """,
    """
    import torch

    class Nearest(torch.autograd.Function):
        @staticmethod
        def forward(ctx, points, centres):
            index = torch.cdist(centres, points).argmin(1)
            ctx.mark_non_differentiable(index)
            return index

        @staticmethod
        def backward(ctx, grad):
            return ()  # is never run

    index = Nearest.apply(torch.randn(5, 2, requires_grad=True), torch.randn(3, 2))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for end in scope.seen("gradient-count"):
        given, _, wanted = end.detail.partition(":")
        gradients, inputs = (
            "gradient" if given == "1" else "gradients",
            "input" if wanted == "1" else "inputs",
        )
        yield end.flag(f"gives {given} {gradients}, but `forward` has {wanted} {inputs} after `ctx`")
