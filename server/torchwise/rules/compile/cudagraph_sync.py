"""A value is read on the CPU while a CUDA graph is captured.

During capture nothing runs, so `.item()`, `.tolist()`, `.cpu()` and `print` of a tensor have no value to
read, and raise.
What they read before is not read again when the graph is replayed either.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#constraints
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW510", HINT, "21-cuda-graphs/capture-and-replay#what-cannot-be-captured"

EXAMPLES = [
    Example(  # proven where there is a GPU: without one nothing is captured
        bad="""
            def captured(x):
                with torch.cuda.graph(graph):
                    y = x.relu()
                    total = y.sum().item()
                            ^^^^^^^^^^^^^^ while a CUDA graph is captured
                return total
            """,
        good="""
            def captured(x):
                with torch.cuda.graph(graph):
                    y = x.relu()
                    total = y.sum()
                graph.replay()
                return total.item()
            """,
        setup="import torch\n\ngraph = None",
    ),
]

SILENT = [
    """
    import torch

    def captured(x):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = x * 2
        return y.sum().item()  # after capture
    """,
]
READERS = (
    "Tensor.item",
    "Tensor.tolist",
    "Tensor.cpu",
    "Tensor.numpy",
    "builtins.float",
    "builtins.int",
    "builtins.bool",
)


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*READERS):
        source = call["self"] or call["x"] or call["input"]
        region = call.under("cuda-graph")
        if region is not None and source is not None and source.tensor is not None:
            because = ((region.at, "captured here"),) if region.at is not None else ()
            yield call.flag(f"`{call.text}` reads a value while a CUDA graph is captured", because=because)
