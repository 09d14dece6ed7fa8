"""Outputs of a `reduce-overhead` function are kept across calls.

In this mode the function runs as a CUDA graph: its outputs lie in memory that the next call writes over,
and reading an older output then raises, or gives the newer numbers. Keep a copy (`out.clone()`), or what
was made of it.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW516", HINT, "21-cuda-graphs/capture-and-replay#compiled-with-graphs"

EXAMPLES = [
    Example(  # proven where there is a GPU: without one no CUDA graph is made
        bad="""
            step = torch.compile(net, mode="reduce-overhead")
            path = []
            with torch.no_grad():
                for _ in range(3):
                    path.append(step(torch.ones(2, 4, device="cuda")))
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is written over by the next call
            """,
        good="""
            step = torch.compile(net, mode="reduce-overhead")
            path = []
            with torch.no_grad():
                for _ in range(3):
                    path.append(step(torch.ones(2, 4, device="cuda")).clone())
            """,
        setup="import torch\nfrom torch import nn\n\nnet = nn.Linear(4, 4, device='cuda')",
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    step = torch.compile(nn.Linear(4, 4), mode="reduce-overhead")
    means = []
    for _ in range(3):
        means.append(step(torch.ones(2, 4)).mean().item())
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for kept in scope.seen("replayed-kept"):
        yield kept.flag(
            "what is kept here is written over by the next call of the function: it runs as a CUDA graph",
            because=tuple((site, "comes from here") for site in kept.because),
        )
