"""The backward of a custom Function returns a gradient that does not fit the input that it is for.

A gradient has the shape of its input. Where `forward` has stretched an input, `backward` sums over the axes it was stretched
along: torch does that by itself where the shapes are aligned at the end, `(C,)` against `(N, C)`, and raises for
`(C,)` against `(N, C, H, W)`.

Source: https://docs.pytorch.org/docs/stable/notes/extending.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW225", ERROR, "03-autograd/custom#the-rules"

EXAMPLES = [
    Example(
        bad="""
            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, scale):
                    ctx.save_for_backward(x, scale)
                    return x * scale.view(1, -1, 1, 1)

                @staticmethod
                def backward(ctx, grad):
                    x, scale = ctx.saved_tensors
                    return grad * scale.view(1, -1, 1, 1), grad * x
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a gradient of (2, 3, 4, 4) cannot be summed to the (3)

            Scale.apply(torch.ones(2, 3, 4, 4), weight).sum().backward()
            """,
        good="""
            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, scale):
                    ctx.save_for_backward(x, scale)
                    return x * scale.view(1, -1, 1, 1)

                @staticmethod
                def backward(ctx, grad):
                    x, scale = ctx.saved_tensors
                    return grad * scale.view(1, -1, 1, 1), (grad * x).sum(dim=(0, 2, 3))

            Scale.apply(torch.ones(2, 3, 4, 4), weight).sum().backward()
            """,
        setup="import torch\n\nweight = torch.ones(3, requires_grad=True)",
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    class Shift(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, shift):
            return x + shift

        @staticmethod
        def backward(ctx, grad):
            return grad, grad  # (5, 3) for the shift of (3): torch sums over the rows

    Shift.apply(torch.ones(5, 3), torch.ones(3, requires_grad=True)).sum().backward()
    """,
    """
    import torch

    class Mean(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            ctx.shape = x.shape
            return x.mean()

        @staticmethod
        def backward(ctx, grad):
            made = None
            if ctx.needs_input_grad[1]:
                made = grad.expand(7)  # never asked for: the weight needs none
            return (grad / 6).expand(ctx.shape), made

    Mean.apply(torch.ones(2, 3, requires_grad=True), torch.ones(4)).backward()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for end in scope.seen("gradient-shape"):
        got, _, wanted = end.detail.partition(":")
        yield end.flag(
            f"a gradient of ({got}) cannot be summed to the ({wanted}) of the input that it is for"
        )
