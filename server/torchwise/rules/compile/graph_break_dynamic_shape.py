"""Compiled code makes a tensor whose size depends on values.

`nonzero`, `unique`, `masked_select`, indexing with a mask: how large the result is shows only when it is
computed, so
Dynamo ends the graph there. Under `fullgraph=True` such sizes are captured. `torch.where` with three
arguments and
arithmetic with the mask keep the size.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW505", WARNING, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend="eager")
            def upper_sum(x):
                return x[x > x.mean()].sum()
                       ^^^^^^^^^^^^^^^ a size that depends on values

            breaks = len(torch._dynamo.explain(upper_sum)(torch.ones(3)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def upper_sum(x):
                return torch.where(x > x.mean(), x, 0).sum()

            breaks = len(torch._dynamo.explain(upper_sum)(torch.ones(3)).break_reasons)
            """,
        setup="import torch",
        harm=lambda bad, good: bad["breaks"] == 1 and good["breaks"] == 0,
    ),
]

SILENT = [
    """
    import torch

    @torch.compile(fullgraph=True)
    def upper_sum(x):
        return x[x > 0].mean()  # captured here
    """,
    """
    import torch

    @torch.compile
    def clipped(x):
        x = x.clone()
        x[x > 1] = 1.0  # a number written where the mask holds
        return x
    """,
]
SIZED_BY_VALUES = frozenset((
    "nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "bincount",
))  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_under("compile", "export"):
        if call.part == "" and (call.op in SIZED_BY_VALUES or _masked(call)):
            region = breaks_graph(call)
            if region is not None and not region.whole:
                yield call.flag(
                    f"`{call.text}` has a size that depends on values, and breaks the graph", **region.more
                )


def _masked(call: Call) -> bool:
    """Indexing with one boolean mask; `torch.where(mask)`; `repeat_interleave` with a tensor of counts."""
    if call.spelling == "operator.getitem":
        base, index = call["self"], call["index"]
        mask = index.tensor if index is not None else None
        return base is not None and base.tensor is not None and mask is not None and mask.dtype == "bool"
    if call.op == "one_hot":
        return "num_classes" not in call
    if call.op == "where":
        return "self" not in call and "input" not in call and "x" not in call and "other" not in call
    if call.op == "repeat_interleave":
        return (
            call["repeats"] is not None and call["repeats"].tensor is not None and "output_size" not in call
        )
    return False
