"""What is compiled with `dynamic=False` is called with ever new sizes.

Each new size compiles the code anew. After eight of them torch gives up, and the code runs uncompiled.
Leave `dynamic` out (torch then generalises after the first new size), set `dynamic=True`, or pad to a few
sizes.

Source: https://docs.pytorch.org/docs/stable/generated/torch.compile.html
"""

from collections import defaultdict
from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW515", HINT, "08-compile/recompiling#sizes"

EXAMPLES = [
    Example(
        bad="""
            doubled = torch.compile(double, dynamic=False, backend=keep)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ for one size at a time
            for length in (3, 5, 7):
                doubled(torch.ones(2, length))
            """,
        good="""
            doubled = torch.compile(double, dynamic=True, backend=keep)
            for length in (3, 5, 7):
                doubled(torch.ones(2, length))
            """,
        setup="""
            import torch

            torch._dynamo.reset()
            graphs = []

            def keep(graph, example):
                graphs.append(graph)
                return graph.forward

            def double(x):
                return x * 2
            """,
        harm=lambda bad, good: len(bad["graphs"]) == 3 and len(good["graphs"]) == 1,  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    import torch

    doubled = torch.compile(lambda x: x * 2, dynamic=False)
    for _ in range(3):
        doubled(torch.ones(2, 4))
    """,
]
VARYING = ("?join", "?i")  # sizes that stand for several


def check(scope: Reading) -> Iterator[Flag]:
    sizes: dict[int, set[str]] = defaultdict(set)
    calls = scope.seen("static-called")
    for call in calls:
        sizes[call.ref].add(call.detail)
    for call in calls:
        varies = len(sizes[call.ref]) > 1 or any(word in call.detail for word in VARYING)
        if varies and call.in_loop:
            yield Flag(
                call.because[0],
                "compiled with `dynamic=False` for one size at a time, but called with ever new sizes",
                because=((call.at, "called here"),),
            )
