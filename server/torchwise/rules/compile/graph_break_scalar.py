"""A compiled function reads a tensor's value into Python, and the graph breaks there.

`.item()`, `.tolist()`, `int(t)`, `float(t)` need the value while the graph is still being recorded, so
Dynamo ends the
graph, runs it, reads the value and records another graph behind it.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

from collections.abc import Iterator

from torchwise.fixes.edits import unwrap
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW502", WARNING, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend="eager")
            def centred(x):
                middle = x.mean().item()
                         ^^^^^^^^^^^^^^^ reads a tensor's value into Python
                return x - middle

            breaks = len(torch._dynamo.explain(centred)(torch.ones(3)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def centred(x):
                middle = x.mean()
                return x - middle

            breaks = len(torch._dynamo.explain(centred)(torch.ones(3)).break_reasons)
            """,
        setup="import torch",
        harm=lambda bad, good: bad["breaks"] == 1 and good["breaks"] == 0,
    ),
]

SILENT = [
    """
    import torch

    def centred(x):
        return x - x.mean().item()  # not compiled
    """,
    """
    import torch

    torch._dynamo.config.capture_scalar_outputs = True

    @torch.compile(backend="eager", fullgraph=True)
    def centred(x):
        return x - x.mean().item()  # a number in the graph

    centred(torch.ones(3))
    """,
]


READERS = ("Tensor.item", "Tensor.tolist", "builtins.float", "builtins.int", "builtins.bool")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*READERS):
        region = breaks_graph(call)
        source = call["self"] or call["x"]
        captured = any(r.kind == "scalars" for r in call.regions)
        if (
            region is not None
            and not region.whole
            and not captured
            and source is not None
            and source.tensor is not None
        ):
            yield call.flag(
                f"`{call.text}` reads a tensor's value into Python and breaks the graph of the compiled code",
                **region.more,
                fix=unwrap(call.at, "Compute with the tensor")
                if call.op in ("item", "float") and scope.only_computed_with(call.ref)
                else None,
            )
