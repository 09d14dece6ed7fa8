"""A bool mask is inverted by subtracting it.

`1 - mask` worked when comparisons gave bytes. For bools torch raises; `~mask` is the inverse.

Source: https://docs.pytorch.org/docs/stable/generated/torch.sub.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW322", ERROR, "02-tensors/indexing#masks"

EXAMPLES = [
    Example(
        bad="""
            alive = 1 - finished
                    ^^^^^^^^^^^^ `finished` is bool
            """,
        good="""
            alive = ~finished
            """,
        setup="""
            import torch

            finished = torch.tensor([True, False])
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    finished = torch.tensor([True, False])
    weight = 1 - finished.float()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("sub", "rsub"):
        for broken in call.breaks("dtype"):
            mask = call[broken.param]
            if mask is None or broken.got != "bool":
                continue
            plain = mask.text.isidentifier() and call.text == f"1 - {mask.text}"
            fix = replace_with(call.at, f"~{mask.text}", "Use `~`") if plain else None
            yield call.flag(f"{mask.quoted} is bool: it cannot be subtracted", fix=fix)
            break
