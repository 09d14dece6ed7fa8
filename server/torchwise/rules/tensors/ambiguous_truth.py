"""A tensor of several elements is used as if it were true or false.

`if mask:`, `while`, `and`, `or`, `not` and `bool(...)` work for one element only and raise otherwise. Say
`.any()` or `.all()`; to ask whether
something was passed at all, compare with None.

Source: https://docs.pytorch.org/docs/stable/generated/torch.any.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW325", ERROR, "02-tensors/operations#element-by-element"

EXAMPLES = [
    Example(
        bad="""
            if losses > 1:
               ^^^^^^^^^^ has 4 elements
                print("large")
            """,
        good="""
            if (losses > 1).any():
                print("large")
            """,
        setup="""
            import torch

            losses = torch.rand(4)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def clip(norm, limit):
        if norm > limit:  # may be one number
            return limit
        return norm

    total = torch.rand(4).sum()
    if total > 1:  # one element
        print(total)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for test in scope.seen("branch-on-tensor", "assert-on-tensor"):
        count = test.elements
        if count and test.ref not in scope.guarded:
            yield test.flag(
                f"has {count} elements: as a condition it is ambiguous; `.any()`, `.all()` or `is not "
                "None` may be meant"
            )
    for call in scope.calls_that_break("one-element"):
        for broken in call.breaks("one-element"):
            if call.op not in ("backward", "grad"):
                source = call[broken.param] or (call.operands[0] if call.operands else None)
                name = source.quoted if source is not None else "this tensor"
                yield call.flag(f"{name} has {broken.got} elements: only one element makes a number")
                break
