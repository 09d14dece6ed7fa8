"""A leaf tensor that requires grad is changed in place while autograd records.

The value of a leaf is where gradients arrive; torch refuses to overwrite it as part of a graph and raises.
Updates by
hand belong under `torch.no_grad()`.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

from collections.abc import Iterator

from torchwise.fixes.edits import wrap_statement
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW202", ERROR, "03-autograd/control#updates-by-hand"

EXAMPLES = [
    Example(
        bad="""
            weight -= 0.1 * weight.grad
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^ `weight` is a leaf that requires grad
            """,
        good="""
            with torch.no_grad():
                weight -= 0.1 * weight.grad
            """,
        setup="""
            import torch

            weight = torch.ones(3, requires_grad=True)
            (weight * 2).sum().backward()
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    weight = torch.ones(3, requires_grad=True)
    weight.data.mul_(0.5)  # around autograd
    total = weight + 1
    total += 1  # a result, no leaf
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("leaf-write"):
        for broken in call.breaks("leaf-write"):
            if scope.mode_is_unknown and call.under("grad") is None:
                continue
            target = call[broken.param]
            name = target.text if target else "this tensor"
            yield call.flag(
                f"`{name}` is a leaf that requires grad: it cannot be changed in place while autograd "
                "records",
                because=tuple((site, "made here") for site in (target.origins if target else ())[:1]),
                fix=wrap_statement(call.at, "with torch.no_grad():", "Wrap it in `torch.no_grad()`"),
                part="statement",
            )
