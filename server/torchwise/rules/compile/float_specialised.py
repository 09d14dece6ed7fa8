"""Compiled code takes the logarithm or the exponential of a Python float that it is given.

Dynamo keeps a float that changes as a symbol: arithmetic, `math.sqrt` and `math.sin` take it as it is. For
`math.log`, `log10`, `log1p`, `exp` and `pow` it puts the number itself into the graph, with a guard: each new
value compiles anew, until the limit is reached. Pass a tensor and use `torch.log`, or take the logarithm outside.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_dynamic_shapes.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW522", HINT, "08-compile/recompiling#numbers-and-state"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend=keep)
            def scaled(x, sigma: float):
                return x * math.log(sigma)
                           ^^^^^^^^^^^^^^^ compiles anew for each value

            for level in torch.arange(1.0, 6.0).tolist():
                scaled(torch.ones(2), level)
            """,
        good="""
            @torch.compile(backend=keep)
            def scaled(x, sigma: torch.Tensor):
                return x * torch.log(sigma)

            for level in torch.arange(1.0, 6.0):
                scaled(torch.ones(2), level)
            """,
        setup="""
            import math

            import torch

            graphs = []
            torch._dynamo.reset()

            def keep(graph, example):
                graphs.append(graph)
                return graph.forward
            """,
        harm=lambda bad, good: len(bad["graphs"]) == 5 and len(good["graphs"]) == 1,  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    import math

    import torch

    @torch.compile
    def scaled(x, sigma: float):
        return x * math.sqrt(sigma) * math.log(2.0) * math.log(x.shape[-1])  # a symbol, a constant, a size

    def outside(sigma: float):
        return math.log(sigma)

    for level in torch.arange(1.0, 6.0).tolist():
        scaled(torch.ones(2), level)
    """,
]
PUT_IN = frozenset(f"math.{name}" for name in ("log", "log10", "log1p", "exp", "pow"))


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_under("compile"):
        if call.spelling in PUT_IN and call.gives_number and breaks_graph(call) is not None:
            given = scope.words_in(call.positional(0)) & set(scope.parameters)
            if given and call.of_float:
                yield call.flag(
                    f"`{call.text}` puts the number into the graph, which compiles anew for each value"
                )
