"""A tensor is assigned to an attribute that holds a Parameter.

`self.weight = self.weight.clamp(0)` raises: a registered parameter can only be replaced by a Parameter
(and then the optimizer would go on with
the old one). Change it in place under `torch.no_grad()`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW216", ERROR, "04-neural-networks/modules#parameters-and-buffers"

EXAMPLES = [
    Example(
        bad="""
            with torch.no_grad():
                head.weight = head.weight.clamp(min=0.0)
                ^^^^^^^^^^^ `weight` is a Parameter
            """,
        good="""
            with torch.no_grad():
                head.weight.clamp_(min=0.0)
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(3, 2)
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    head = nn.Linear(3, 2)
    head.weight = nn.Parameter(head.weight.detach().clamp(min=0.0))  # a Parameter again
    head.weight.data = torch.zeros(2, 3)  # the values of it
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for replaced in scope.happenings("parameter-overwritten"):
        if replaced.ref not in scope.guarded:
            name = replaced.detail
            yield replaced.flag(
                f"`{name}` is a Parameter: a plain tensor cannot take its place; change it in place under "
                "`torch.no_grad()`"
            )
