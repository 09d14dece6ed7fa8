"""`view` is asked for a shape that the strides of the tensor do not allow.

`view` never copies, so every new axis must be one that can be walked with a fixed stride. After
`transpose`, `permute`,
`expand` or a slice with gaps, axes that lie apart in memory cannot be merged, and torch raises. `reshape`
copies where
it has to. It is not about contiguity as such: splitting an axis of a transposed tensor, or merging axes
that are still
in order, works.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading, sizes

CODE, LEVEL, LESSON = "TW301", ERROR, "02-tensors/views#view-or-reshape"

EXAMPLES = [
    Example(
        bad="""
            heads = tokens.view(2, 5, 4, 8).transpose(1, 2)
            merged = heads.transpose(1, 2).transpose(2, 3).view(2, 5, 32)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ cannot be viewed as (2, 5, 32)
            """,
        good="""
            heads = tokens.view(2, 5, 4, 8).transpose(1, 2)
            merged = heads.transpose(1, 2).transpose(2, 3).reshape(2, 5, 32)
            """,
        setup="""
            import torch

            tokens = torch.randn(2, 5, 32)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    columns = torch.randn(6, 4).t()
    halves = columns.view(4, 2, 3)  # splits an axis: allowed on any strides
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("view"):
        for broken in call.breaks("view"):
            source = call["input"]
            if source is None:
                continue
            made = tuple((site, "its layout comes from here") for site in source.origins[:1])
            fix = None
            if call.text.startswith(f"{source.text}.view("):
                rest = call.text[len(source.text) + len(".view(") :]
                fix = replace_with(
                    call.at, f"{source.text}.reshape({rest}", "Use `reshape`, which copies where it must"
                )
            strides = sizes(broken.got)
            laid_out = f" with strides {strides}" if len(strides) < 40 else ""
            yield call.flag(
                f"`{source.text}` is {source.shown}{laid_out}: it cannot be viewed as "
                f"{sizes(broken.wanted)} without a copy",
                because=made,
                fix=fix,
            )
