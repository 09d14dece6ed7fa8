"""`backward` is called on a value that was made to require grad itself, and so reaches no parameter.

When a loss has lost its graph (through `argmax`, `.item()`, `.detach()`, `torch.tensor(...)`), `backward`
complains that it does not
require grad. Setting `loss.requires_grad_()` silences the message and nothing else: the loss is then a
leaf, the gradient ends in
`loss.grad`, and the model never learns. Find what cut the graph instead.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW207", WARNING, "03-autograd/graph#backward"


def _no_gradient(bad: dict[str, object], good: dict[str, object]) -> bool:
    """The model gets none."""
    return bad["model"].weight.grad is None and good["model"].weight.grad is not None  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            error = (model(points).argmax(dim=1) - labels).float().pow(2).mean()
            error.requires_grad_()
            ^^^^^^^^^^^^^^^^^^^^^^ makes a leaf of what has no graph: `error.backward()` reaches nothing else
            error.backward()
            """,
        good="""
            error = F.cross_entropy(model(points), labels)
            error.backward()
            """,
        setup="""
            import torch
            import torch.nn.functional as F
            from torch import nn

            model = nn.Linear(4, 3)
            points, labels = torch.randn(6, 4), torch.randint(0, 3, (6,))
            """,
        harm=_no_gradient,
    ),
]

SILENT = [
    """
    import torch

    price = torch.tensor(3.0, requires_grad=True)
    price.backward()  # pointless, but it is a leaf from the start
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.happenings("leaf-backward"):
        asked, made = backward.asked_at, backward.because[:1]
        if asked is not None and made and not scope.is_creation(made[0]):
            yield Flag(
                asked,
                f"makes a leaf of what has no graph: `{backward.text}` reaches nothing else",
                because=(
                    (made[0], "computed here, without a graph"),
                    (backward.at, "this backward ends in the leaf"),
                ),
            )
