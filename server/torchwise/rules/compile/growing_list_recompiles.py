"""Compiled code appends to a list that outlives the call, so that every call recompiles.

Dynamo guards the length of each list that compiled code touches. One that it lets grow never has the same
length again: each call compiles anew, until the limit is reached and the code runs uncompiled. Return what
is to be kept and append outside, or write into a buffer of fixed size.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW514", HINT, "08-compile/recompiling#numbers-and-state"

EXAMPLES = [
    Example(
        bad="""
            class Recorder(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.seen = []

                def forward(self, x):
                    self.seen.append(x.detach())
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ grows in every call of the compiled code
                    return x * 2

            count(Recorder())
            """,
        good="""
            class Recorder(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.seen = []

                def forward(self, x):
                    return x * 2

            count(Recorder())
            """,
        setup="""
            import torch
            from torch import nn

            graphs = []

            def keep(graph, example):
                graphs.append(graph)
                return graph.forward

            def count(module):
                torch._dynamo.reset()
                compiled = torch.compile(module, backend=keep)
                for _ in range(6):
                    compiled(torch.ones(2))
            """,
        harm=lambda bad, good: len(bad["graphs"]) == 6 and len(good["graphs"]) == 1,  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.outputs = []

        def forward(self, x):
            self.outputs = []  # a new one each time
            layers = []
            for factor in (1, 2):
                layers.append(x * factor)
                self.outputs.append(x * factor)
            return torch.cat(layers)

    torch.compile(Stack())(torch.ones(2))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("list.append", "list.extend"):
        region, grown = breaks_graph(call), call["self"]
        if region is None or region.exports or grown is None or not scope.outlives(grown.ref):
            continue
        if any(scope.holds(site) for site in grown.places) or scope.empties(grown.ref):
            continue
        yield call.flag(
            f"`{grown.text}` grows in every call of the compiled code, and every call compiles it anew",
            because=region.more["because"],
        )
