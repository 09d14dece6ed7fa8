"""`.grad` is read from the result of a computation, where it is None.

Gradients are kept for leaves alone. `w = w - lr * w.grad` makes `w` a result: in the next turn its `.grad`
is None and the update fails.
Update in place under `torch.no_grad()`, start anew with `.detach().requires_grad_()`, or call
`retain_grad()` on the result before
`backward`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW206", ERROR, "03-autograd/graph#leaves"

EXAMPLES = [
    Example(
        bad="""
            for step in range(3):
                loss = (slope * slope).sum()
                loss.backward()
                slope = slope - 0.1 * slope.grad
                                      ^^^^^^^^^^ `slope` is the result of a computation
            """,
        good="""
            for step in range(3):
                loss = (slope * slope).sum()
                loss.backward()
                slope = (slope - 0.1 * slope.grad).detach().requires_grad_()
            """,
        setup="""
            import torch

            slope = torch.ones(3, requires_grad=True)
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch

    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    hidden.retain_grad()
    hidden.sum().backward()
    shown = hidden.grad  # kept on purpose
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for read in scope.happenings("grad-of-result"):
        if read.ref in scope.guarded or scope.is_tested(read.ref):
            continue
        name = read.text.removesuffix(".grad")
        yield read.flag(
            f"`{name}` is the result of a computation, no leaf: its `.grad` is None",
            tuple((site, "computed here") for site in read.because[:1]),
        )
