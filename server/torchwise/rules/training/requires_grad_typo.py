"""A misspelt `requires_grad` is set, so nothing is frozen.

Python lets any attribute be set on a tensor: `p.require_grad = False` adds one that torch never looks at,
and the parameter
goes on being trained. `module.requires_grad_(False)` freezes a whole module, and raises where it is misspelt.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW114", WARNING, "07-training/better-models#freezing"
MISSPELT = (
    "require_grad",
    "requires_grads",
    "require_grads",
    "required_grad",
    "requiresgrad",
    "requieres_grad",
    "requires_gradient",
)

EXAMPLES = [
    Example(
        bad="""
            for weight in encoder.parameters():
                weight.require_grad = False
                ^^^^^^^^^^^^^^^^^^^ is no attribute of torch
            frozen = not encoder.weight.requires_grad
            """,
        good="""
            for weight in encoder.parameters():
                weight.requires_grad = False
            frozen = not encoder.weight.requires_grad
            """,
        setup="""
            from torch import nn

            encoder = nn.Linear(4, 8)
            """,
        harm=lambda bad, good: good["frozen"] and not bad["frozen"],
    ),
]

SILENT = [
    """
    class Settings:
        def __init__(self):
            self.requires_grad = False  # an attribute of its own
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for place in scope.assigned_attributes():
        if place.name in MISSPELT:
            right = f"{scope.text(place.base)}.requires_grad"
            yield scope.flag(
                place.ref,
                f"`{place.name}` is no attribute of torch: this freezes nothing, `requires_grad` does",
                fix=replace_with(scope.site(place.ref), right, f"Set `{right}`"),
            )
