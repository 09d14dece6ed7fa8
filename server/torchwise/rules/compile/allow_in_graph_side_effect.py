"""A function under `allow_in_graph` changes something outside of itself.

Dynamo puts a call of it into the graph as it stands. What follows traces it once with fake tensors and
keeps only its tensor operators: the assignment, append or print happens while tracing, with fake values,
and never again. Return what is to be kept, or let Dynamo trace the function (no decorator), or keep it out
(`torch.compiler.disable`).

Source: https://docs.pytorch.org/docs/stable/generated/torch.compiler.allow_in_graph.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW517", WARNING, "17-compile-control/steering#opaque-calls"

EXAMPLES = [
    Example(
        bad="""
            level = {}

            @torch.compiler.allow_in_graph
            def tapped(h):
                level["mean"] = h.mean()
                ^^^^^^^^^^^^^ happens while it is traced only
                return h * 2

            net = torch.compile(lambda x: tapped(x + 1), backend="aot_eager")
            for _ in range(3):
                net(torch.ones(2))
            """,
        good="""
            level = {}

            def tapped(h):
                level["mean"] = h.mean()
                return h * 2

            net = torch.compile(lambda x: tapped(x + 1), backend="aot_eager")
            for _ in range(3):
                net(torch.ones(2))
            """,
        setup="import torch\n\ntorch._dynamo.reset()",
        harm=lambda bad, good: good["level"]["mean"] == 2 and "Fake" in repr(bad["level"]["mean"]),  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch

    @torch.compiler.allow_in_graph
    def doubled(h):
        parts = []
        parts.append(h)  # its own
        return torch.cat(parts + parts)
    """,
    """
    import torch

    kernels = {}

    @torch.compiler.allow_in_graph
    def doubled(h):
        kernels["doubled"] = torch.mul  # what is cached is no tensor
        return kernels["doubled"](h, 2)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    message = (
        "this happens while it is traced only, and with a fake tensor: `allow_in_graph` keeps operators alone"
    )
    for kept in scope.seen("global-set", "attribute-set", "module-attribute-set"):
        if kept.tensor is not None and any(r.kind == "in-graph" for r in kept.regions):
            yield kept.flag(message)
    for call in scope.calls_under("in-graph"):
        if any(o.tensor is not None for o in call.operands) and (call.tagged("log") or _outside(scope, call)):
            yield call.flag(message)


def _outside(scope: Reading, call: Call) -> bool:
    """Whether it changes a list or dict that was not made here."""
    held = call["self"]
    grows = call.spelling in ("list.append", "list.extend", "dict.update", "operator.setitem")
    plain = held is not None and (held.is_a("list") or held.is_a("dict"))
    return grows and plain and held is not None and not any(scope.holds(site) for site in held.places)
