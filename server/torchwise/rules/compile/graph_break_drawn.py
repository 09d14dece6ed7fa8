"""Compiled code needs the value of a number that it drew from Python's `random`.

Dynamo makes a symbol of `random.randint(0, 3)`: arithmetic with it is fine. A branch on it, or a slice, a
range, a roll by it, needs the number itself, and the graph ends there. Draw before the compiled code, or
draw tensors.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, breaks_graph, draws_in

CODE, LEVEL, LESSON = "TW518", WARNING, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend="eager")
            def shifted(x):
                y = x + 1
                k = random.randint(0, 3)
                return torch.roll(y, k)
                       ^^^^^^^^^^^^^^^^ needs the number that was drawn

            breaks = len(torch._dynamo.explain(shifted)(torch.ones(4)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def shifted(x, k):
                y = x + 1
                return torch.roll(y, k)

            breaks = len(torch._dynamo.explain(shifted)(torch.ones(4), 2).break_reasons)
            """,
        setup="import random\n\nimport torch",
        harm=lambda bad, good: bad["breaks"] >= 1 and good["breaks"] == 0,
    ),
]

SILENT = [
    """
    import random

    import torch

    @torch.compile
    def scaled(x):
        return x * random.uniform(0.5, 1.5) + random.randint(0, 3)  # arithmetic alone
    """,
]

SIZED = frozenset(("torch.roll", "Tensor.roll", "builtins.range", "Tensor.narrow", "torch.narrow"))
DRAWING = ("randint", "randrange", "uniform", "gauss", "random", "getrandbits")


def check(scope: Reading) -> Iterator[Flag]:
    if not any(
        c.spelling == f"random.{c.op}" and c.op in DRAWING for c in scope.calls_under("compile", "export")
    ):
        return
    for call in scope.calls_under("compile", "export"):
        region = breaks_graph(call) if call.part == "" else None
        by = any(draws_in(scope, o.ref) for o in call.operands) if call.spelling in SIZED else False
        indexed = call.spelling == "operator.getitem" and draws_in(scope, call.ref) is not None
        if region is not None and (by or indexed):
            yield call.flag(
                f"`{call.text}` needs the number that was drawn, and breaks the graph", **region.more
            )
    for test in scope.tests():
        drawn = draws_in(scope, test)
        region = breaks_graph(drawn) if drawn is not None else None
        if region is not None:
            message = f"`{scope.text(test)}` branches on a number that was drawn, and breaks the graph"
            yield scope.flag(test, message, **region.more)
