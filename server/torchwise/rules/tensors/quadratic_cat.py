"""A tensor grows by `torch.cat` in a loop.

Each `cat` copies all that was there before: n steps copy n * n / 2 rows. Collect in a list, and put it
together once.

Source: https://docs.pytorch.org/docs/stable/generated/torch.cat.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import grown_by

CODE, LEVEL, LESSON = "TW339", HINT, "02-tensors/indexing#joining"

EXAMPLES = [
    Example(
        bad="""
            rows = torch.empty(0, 4)
            for step in range(100):
                rows = torch.cat([rows, torch.randn(1, 4)])
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ copies all of `rows` in every turn
            """,
        good="""
            kept = []
            for step in range(100):
                kept.append(torch.randn(1, 4))
            rows = torch.cat(kept)
            """,
        setup="""
            import torch
            """,
    ),
]

SILENT = [
    """
    import torch

    def generate(model, tokens):
        for step in range(20):
            scores = model(tokens)  # the model wants all of them in every turn
            tokens = torch.cat([tokens, scores[:, -1:].argmax(-1)], dim=1)
        return tokens
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("cat"):
        name = grown_by(call) if call.loops else None
        if name is not None:
            yield call.flag(f"copies all of `{name}` in every turn: collect in a list and `cat` once")
