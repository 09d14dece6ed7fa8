"""Compiled code makes a tensor whose size depends on values.

`nonzero`, `unique`, `masked_select`, indexing with a mask: how large the result is shows only when it is
computed, so Dynamo ends the graph there. Under `fullgraph=True` such sizes are captured, and a branch on one is
an error. `torch.where` with three arguments and arithmetic with the mask keep the size.

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
    Example(
        bad="""
            @torch.compile(backend="eager", fullgraph=True)
            def upper_mean(x):
                upper = torch.nonzero(x > 0).squeeze(1)
                if len(upper) == 0:
                   ^^^^^^^^^^^^^^^ asks for a size that depends on values
                    return x.mean()
                return x[upper].mean()

            mean = upper_mean(torch.ones(3))
            """,
        good="""
            @torch.compile(backend="eager", fullgraph=True)
            def upper_mean(x):
                upper = (x > 0).float()
                return (x * upper).sum() / upper.sum().clamp(min=1)

            mean = upper_mean(torch.ones(3))
            """,
        setup="import torch",
        harm=RuntimeError,
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
        if call.part != "":
            continue
        region = breaks_graph(call)
        if region is None:
            continue
        if not region.whole and (call.op in SIZED_BY_VALUES or _masked(call)):
            yield call.flag(
                f"`{call.text}` has a size that depends on values, and breaks the graph", **region.more
            )
        elif region.whole and call.op in ASKED and scope.is_tested(call.ref) and call.asks_found_size:
            yield call.flag(
                f"`{call.text}` asks for a size that depends on values: which way to go is not known while the "
                "graph is recorded",
                **region.more,
            )


ASKED = ("eq", "ne", "lt", "le", "gt", "ge", "len", "numel", "size")


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
