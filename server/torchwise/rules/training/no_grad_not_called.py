"""A `with` statement is given a context manager that is not called.

`with torch.no_grad:` names the class, and a class cannot be entered: Python raises before anything in the block runs. As a
decorator `@torch.no_grad` works without parentheses too, which is where the habit comes from.

Source: https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW143", ERROR, "03-autograd/control#no-grad"
COMPLETE = ("no_grad", "enable_grad", "inference_mode", "detect_anomaly", "nullcontext", "no_sync")

EXAMPLES = [
    Example(
        bad="""
            with torch.no_grad:
                 ^^^^^^^^^^^^^ is not called
                scores = head(torch.ones(2, 4))
            """,
        good="""
            with torch.no_grad():
                scores = head(torch.ones(2, 4))
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch

    @torch.no_grad
    def infer(model, batch):
        return model(batch)  # a decorator takes the function instead
    """,
    """
    import torch

    def infer(model, batch, training):
        context = torch.enable_grad if training else torch.no_grad
        with context():
            return model(batch)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for entered in scope.happenings("context-uncalled"):
        if entered.ref in scope.guarded:
            continue
        complete = entered.detail.rpartition(".")[2] in COMPLETE
        yield entered.flag(
            f"`{entered.text}` is not called: what it names cannot be entered",
            fix=append_to(entered.at, "()", "Call it") if complete else None,
        )
