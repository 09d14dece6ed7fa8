"""An optimizer is given a tensor that is no leaf.

`torch.randn(3, requires_grad=True) * 0.01` is the result of a computation: gradients arrive at the tensor
before the product, and the
optimizer refuses. The same holds after `.to(device)`, `.cuda()` or `.view(...)`. Compute first, then ask
for gradients.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW204", ERROR, "03-autograd/graph#leaves"

EXAMPLES = [
    Example(
        bad="""
            canvas = torch.randn(1, 3, 8, 8, requires_grad=True) * 0.1
            optimizer = torch.optim.Adam([canvas], lr=0.1)
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the result of a computation
            """,
        good="""
            canvas = (torch.randn(1, 3, 8, 8) * 0.1).requires_grad_()
            optimizer = torch.optim.Adam([canvas], lr=0.1)
            """,
        setup="""
            import torch
            """,
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch

    scale = torch.full((3,), 0.1).requires_grad_()
    optimizer = torch.optim.SGD([scale], lr=0.1)  # computed first, then a leaf
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("leaf"):
        for broken in call.breaks("leaf"):
            made = next(iter(getattr(broken.because, "calls", ())), None)
            shown = f"`{scope.text_at(made)}`" if made is not None and scope.text_at(made) else "a tensor"
            yield call.flag(
                f"{shown} is the result of a computation, no leaf: the optimizer cannot hold it",
                ((made, "computed here"),) if made is not None else (),
            )
            break
