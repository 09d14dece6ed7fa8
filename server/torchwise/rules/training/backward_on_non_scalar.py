"""`backward` is called on a tensor of many elements.

Only one number has an implied gradient. A loss with `reduction="none"`, or one loss for each example, has
to be reduced
first, or `backward` be given a `gradient`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW109", ERROR, "03-autograd/graph#backward-of-more-than-a-number"

EXAMPLES = [
    Example(
        bad="""
            losses = F.cross_entropy(head(features), target, reduction="none")
            losses.backward()
            ^^^^^^ is f32[8]
            """,
        good="""
            losses = F.cross_entropy(head(features), target, reduction="none")
            losses.mean().backward()
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            head = nn.Linear(4, 3)
            features, target = torch.ones(8, 4), torch.zeros(8, dtype=torch.long)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def jacobian_row(output, index):
        direction = torch.zeros_like(output)
        direction[index] = 1
        output.backward(direction)  # the gradient is given
    """,
    """
    import torch

    value = torch.ones(1, requires_grad=True) * 2
    value.backward()  # one element is enough
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("backward", "grad"):
        loss = call["self"] or call["tensors"] or call["outputs"]
        needs = f"`{call.name.rpartition('.')[2]}`"
        for _ in call.breaks("one-element"):
            if loss is not None:
                yield loss.flag(
                    f"`{loss.text}` is {loss.shown}: {needs} needs one number, or a gradient for it",
                    fix=append_to(loss.at, ".mean()", f"Differentiate `{loss.text}.mean()`", safe=False),
                )
