"""A function sets the stance of `torch.compile` for the whole program, and leaves it set.

`torch.compiler.set_stance("force_eager")` as a statement holds for all compiled code from there on: it runs
uncompiled, slower and without a word. As a context manager (`with torch.compiler.set_stance(...)`) or a decorator
it holds for what stands under it.

Source: https://docs.pytorch.org/docs/stable/generated/torch.compiler.set_stance.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW521", HINT, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
    Example(
        bad="""
            def checked(model, x):
                torch.compiler.set_stance("force_eager")
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ holds for all compiled code from here on
                return model(x).isfinite().all()

            fine = checked(double, torch.ones(2))
            double(torch.ones(2))
            torch.compiler.set_stance("default")
            """,
        good="""
            def checked(model, x):
                with torch.compiler.set_stance("force_eager"):
                    return model(x).isfinite().all()

            fine = checked(double, torch.ones(2))
            double(torch.ones(2))
            torch.compiler.set_stance("default")
            """,
        setup="""
            import torch

            graphs = []
            torch._dynamo.reset()

            def keep(graph, example):
                graphs.append(graph)
                return graph.forward

            @torch.compile(backend=keep)
            def double(x):
                return x * 2
            """,
        harm=lambda bad, good: len(bad["graphs"]) == 0 and len(good["graphs"]) == 1,  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    import torch

    torch.compiler.set_stance("force_eager")  # the program's own switch

    def checked(model, x):
        torch.compiler.set_stance("force_eager")
        try:
            return model(x)
        finally:
            torch.compiler.set_stance("default")  # set back

    def lazily(enabled):
        torch.compiler.set_stance("default" if enabled else "force_eager")  # as it is told
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    calls = scope.calls_to("set_stance")
    for call in calls:
        stance = call["stance"]
        left = len(calls) == 1 and call.discarded and scope.kind == "function"
        if left and stance is not None and stance.literal and stance.constant != "default":
            yield call.flag("this holds for all compiled code from here on; in a `with` it holds for a block")
