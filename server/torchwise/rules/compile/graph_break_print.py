"""A compiled function prints, and the graph breaks there.

Dynamo cannot put a write to the outside into a graph: at a `print` or a call of a logger it ends the
graph, runs the call
in Python and starts another graph behind it. Under `fullgraph=True` that is an error.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

from collections.abc import Iterator

from torchwise.fixes.edits import delete_statement
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW501", WARNING, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend="eager")
            def shifted(x):
                y = x + 1
                print("mean", y.mean())
                ^^^^^^^^^^^^^^^^^^^^^^^ breaks the graph
                return y * 2

            breaks = len(torch._dynamo.explain(shifted)(torch.ones(3)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def shifted(x):
                y = x + 1
                return y * 2

            breaks = len(torch._dynamo.explain(shifted)(torch.ones(3)).break_reasons)
            """,
        setup="import torch",
        harm=lambda bad, good: bad["breaks"] == 1 and good["breaks"] == 0,
    ),
]

SILENT = [
    """
    import torch

    def shifted(x):
        print(x.shape)  # not compiled
        return x + 1
    """,
    """
    import os

    import torch

    LOUD = bool(os.environ.get("LOUD"))

    @torch.compile(fullgraph=True)
    def shifted(x):
        if LOUD:
            print("shifting")  # perhaps never
        if not torch.compiler.is_compiling():
            print("not compiled")
        return x + 1
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_tagged("log"):
        region = breaks_graph(call)
        if region is not None and not region.exports:
            alone = call.discarded and scope.kind != "lambda"
            yield call.flag(
                f"`{call.name}` breaks the graph of the compiled code it runs in",
                **region.more,
                fix=delete_statement(call.at, "Remove it", safe=False) if alone else None,
            )
