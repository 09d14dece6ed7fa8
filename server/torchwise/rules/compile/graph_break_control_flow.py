"""A compiled function branches on a tensor's value, and the graph breaks there.

Which side runs is not known while the graph is recorded. Dynamo ends the graph, asks the value, and goes
on with
another graph; under `fullgraph=True` it is an error. `torch.where` and `torch.cond` keep both sides in one
graph.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, rewrite
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW503", WARNING, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend="eager")
            def clipped(x):
                if x.sum() > 0:
                   ^^^^^^^^^^^ branches on a tensor's value
                    return x
                return -x

            breaks = len(torch._dynamo.explain(clipped)(torch.ones(3)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def clipped(x):
                return torch.where(x.sum() > 0, x, -x)

            breaks = len(torch._dynamo.explain(clipped)(torch.ones(3)).break_reasons)
            """,
        setup="import torch",
        harm=lambda bad, good: bad["breaks"] == 1 and good["breaks"] == 0,
    ),
]

SILENT = [
    """
    import torch

    @torch.compile
    def padded(x, mask=None):
        if mask is None:  # not a tensor's value
            return x
        if x.shape[0] > 4:  # a size
            return x * mask
        return x
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for branch in scope.seen("branch-on-tensor"):
        region = breaks_graph(branch)
        if region is not None:
            yield branch.flag(
                f"`{branch.text}` branches on a tensor's value and breaks the graph of the compiled code",
                **region.more,
                fix=_one_of_both(scope, branch.ref),
            )
    for test in scope.seen("assert-on-tensor"):
        region = breaks_graph(test)
        if region is not None and test.detail == "string":
            yield test.flag(
                f"`{test.text}` asserts on a tensor's value with a message that needs it, which breaks "
                "the graph",
                **region.more,
            )


def _one_of_both(scope: Reading, test: int) -> FixPlan | None:
    found = scope.choice(test)
    if found is None:
        return None
    branch, last = found
    return rewrite(
        scope.site(branch), "one-of-both", "Compute both and choose with `torch.where`", until=last
    )
