"""A loss is given a target of another shape or dtype than it takes.

`CrossEntropyLoss` and `NLLLoss` want class indices: integers, without the axis of the classes, so (N,)
for scores (N, C) and (N, T) for (N, C, T). `BCELoss` and `BCEWithLogitsLoss` want floats of the very
shape of the input. Torch raises at the first batch.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW721", ERROR, "04-neural-networks/losses#cross-entropy"

EXAMPLES = [
    Example(
        bad="""
            criterion = nn.CrossEntropyLoss()
            loss = criterion(scores, labels)
                                     ^^^^^^ is float32 where int64 is needed
            """,
        good="""
            criterion = nn.CrossEntropyLoss()
            loss = criterion(scores, labels.long())
            """,
        setup="""
            import torch
            from torch import nn

            scores, labels = torch.randn(4, 3), torch.tensor([0.0, 2.0, 1.0, 1.0])
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            criterion = nn.BCEWithLogitsLoss()
            loss = criterion(scores, labels)
                                     ^^^^^^ is (4,): 1-d where 2-d is needed
            """,
        good="""
            criterion = nn.BCEWithLogitsLoss()
            loss = criterion(scores, labels.unsqueeze(1))
            """,
        setup="""
            import torch
            from torch import nn

            scores, labels = torch.randn(4, 1), torch.tensor([0.0, 1.0, 1.0, 0.0])
            """,
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    scores = torch.randn(4, 3)
    loss = nn.CrossEntropyLoss()(scores, torch.full((4, 3), 1 / 3))  # probabilities of the classes
    """,
]

SHAPES = ("rank", "axis", "broadcast")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("dtype", *SHAPES):
        kinds = (*_shapes(call), *(("dtype",) if call.compares_with_classes else ()))
        for broken in call.breaks(*kinds):
            target = call[broken.param]
            if target is None or broken.param != "target":
                continue
            whole = broken.kind == "dtype" and str(broken.got) in ("float32", "float64", "int32", "int16")
            plain = target.text.replace(".", "").isidentifier()
            fix = append_to(target.at, ".long()", "Make it integers") if whole and plain else None
            yield target.flag(call.tell(broken), fix=fix)
            break


def _shapes(call: Call) -> tuple[str, ...]:
    """Of functions, other rules tell these."""
    return SHAPES if call.on_layer and call.compares_with_target else ()
