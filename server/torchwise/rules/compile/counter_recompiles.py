"""Compiled code counts in a Python number that outlives the call, so that every call recompiles.

Dynamo builds the value of a global or of an attribute into the graph, with a guard on it. A number that the
compiled code changes itself never meets its guard again: each call compiles anew, until the limit is
reached and the code runs uncompiled. Count outside, keep the number in a tensor (a buffer), or pass it in.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW513", HINT, "08-compile/recompiling#numbers-and-state"

EXAMPLES = [
    Example(
        bad="""
            class Warm(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.steps = 0

                def forward(self, x):
                    self.steps += 1
                    ^^^^^^^^^^ changes in every call of the compiled code
                    return x * self.steps

            count(Warm())
            """,
        good="""
            class Warm(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("steps", torch.zeros(()))

                def forward(self, x):
                    self.steps += 1
                    return x * self.steps

            count(Warm())
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

    class Warm(nn.Module):
        def __init__(self):
            super().__init__()
            self.steps, self.size = 0, 0

        def count(self):
            self.steps += 1  # outside of what is compiled

        def forward(self, x):
            self.size = x.shape[0]  # as it comes in
            return x * 2

    warm = Warm()
    torch.compile(warm)(torch.ones(2))
    warm.count()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for kept in scope.seen("global-set", "module-attribute-set", "attribute-set"):
        region = breaks_graph(kept)
        value = scope.assigned(kept.ref)
        if region is None or region.exports or not kept.of_number or not scope.counts(value, kept.detail):
            continue
        yield kept.flag(
            f"`{kept.detail}` changes in every call of the compiled code, and every call compiles it anew",
            because=region.more["because"],
        )
