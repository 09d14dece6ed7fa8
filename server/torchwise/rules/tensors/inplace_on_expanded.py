"""An expanded tensor is changed in place, where several elements share one place in memory.

`expand` makes no copies: a row that is expanded to eight rows is still one row. `x += 1` on it raises;
writing to one element through an index
changes all that share it, without a word. Make a copy first: `.clone()`, or `repeat`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW332", ERROR, "02-tensors/views#expanding-costs-nothing-and-shares-everything"

EXAMPLES = [
    Example(
        bad="""
            table = row.expand(8, 3)
            table += noise
            ^^^^^^^^^^^^^^ several elements of `table` share one place in memory
            """,
        good="""
            table = row.expand(8, 3)
            table = table + noise
            """,
        setup="""
            import torch

            row, noise = torch.zeros(1, 3), torch.rand(8, 3)
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            mask = torch.zeros(1, 4).expand(len(lengths), 4)
            for row, length in enumerate(lengths):
                mask[row, :length] = 1
                ^^^^^^^^^^^^^^^^^^^^^^ several elements of `mask` share one place in memory
            """,
        good="""
            mask = torch.zeros(1, 4).repeat(len(lengths), 1)
            for row, length in enumerate(lengths):
                mask[row, :length] = 1
            """,
        setup="import torch\n\nlengths = [len(word) for word in 'a row of'.split()]",
        harm=lambda bad, good: int(bad["mask"].sum()) == 9 and int(good["mask"].sum()) == 6,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    table = torch.zeros(1, 3).expand(8, 3).clone()
    table += 1  # its own copy
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls():
        target = call.written
        if target is None or call.ref in scope.guarded:
            continue
        if not target.overlaps_itself and not (call.op == "setitem" and target.repeats_rows):
            continue
        level = WARNING if call.op == "setitem" else None
        yield call.flag(
            f"several elements of {target.quoted} share one place in memory: it is expanded",
            tuple((site, "expanded here") for site in target.origins[:1]),
            level=level,
            part="statement",
        )
