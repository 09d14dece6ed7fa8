"""Work on a GPU is timed with the wall clock, and nothing waits for it to be done.

A call of a GPU operator only hands the work over and returns. The clock then shows how long handing over
took, and whoever synchronises next pays for the work. Call `torch.cuda.synchronize()` before each reading
of the clock, or use `torch.utils.benchmark` or CUDA events.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Call, Example, Flag, Reading, clock_read, gpu_work_between

CODE, LEVEL, LESSON = "TW910", HINT, "14-testing/repeatable-runs#timing"

EXAMPLES = [
    Example(  # the harm shows where there is a GPU
        bad="""
            def seconds(device):
                x = torch.randn(512, 512, device=device)
                start = time.perf_counter()
                y = x @ x
                return time.perf_counter() - start
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^ nothing waits for
            """,
        good="""
            def seconds(device):
                x = torch.randn(512, 512, device=device)
                torch.cuda.synchronize()
                start = time.perf_counter()
                y = x @ x
                torch.cuda.synchronize()
                return time.perf_counter() - start
            """,
        setup="import time\n\nimport torch",
    ),
]

SILENT = [
    """
    import time

    import torch

    def seconds(device):
        x = torch.randn(512, 512)  # on the CPU
        start = time.perf_counter()
        y = x @ x
        return time.perf_counter() - start

    def read(x, device):
        start = time.perf_counter()
        total = torch.randn(512, 512, device=device).sum().item()  # waits
        return time.perf_counter() - start
    """,
]
WAITS = frozenset(
    ("item", "cpu", "tolist", "numpy", "float", "int", "bool", "print", "synchronize", "nonzero")
)


def check(scope: Reading) -> Iterator[Flag]:
    clocks = scope.calls_tagged("clock")
    if len(clocks) < 2:
        return
    for taken in scope.calls_to("sub"):
        pair = [clock_read(scope, o.ref, clocks) for o in taken.operands]
        if len(pair) != 2 or pair[0] is None or pair[1] is None:
            continue
        end, start = pair[0], pair[1]
        work = gpu_work_between(scope, start.ref, end.ref)
        if work is not None and not any(_waits(c) for c in scope.calls() if start.ref < c.ref < end.ref):
            yield taken.flag(
                f"nothing waits for `{scope.text(work)}`: on a GPU it has only been handed over by then",
                because=((start.at, "the clock starts here"),),
            )


def _waits(call: Call) -> bool:
    return call.op in WAITS or call.tagged("sync")
