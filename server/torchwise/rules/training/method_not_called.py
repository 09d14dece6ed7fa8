"""A method is named but not called.

`model.eval` without parentheses is an expression that does nothing: the model stays in train mode, the
gradients stay
uncleared, the weights do not move.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW116", WARNING, "07-training/loop#two-modes"
METHODS = (
    "eval",
    "train",
    "zero_grad",
    "backward",
    "step",
    "update",
    "requires_grad_",
    "detach_",
    "synchronize",
    "barrier",
)

EXAMPLES = [
    Example(
        bad="""
            model.eval
            ^^^^^^^^^^ is not called
            """,
        good="""
            model.eval()
            """,
        setup="""
            from torch import nn

            model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5))
            """,
        harm=lambda bad, good: bad["model"].training and not good["model"].training,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    def train(model, register):
        register(model.eval)  # handed over, to be called later
        switch = model.train
        switch()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for place in scope.bare_attributes():
        if place.name in METHODS:
            text = scope.text(place.ref)
            yield scope.flag(
                place.ref,
                f"`{text}` is not called: without parentheses this does nothing",
                fix=append_to(scope.site(place.ref), "()", "Call it"),
            )
