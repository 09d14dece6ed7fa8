"""A profiler has a schedule and is never stepped.

With a schedule the profiler waits, warms up and records in turns that `step()` counts. Without a `step` it stays in the
first turn and records nothing.

Source: https://docs.pytorch.org/docs/stable/profiler.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW904", WARNING, "13-advanced/operators-and-graphs#a-trace-to-look-at"

EXAMPLES = [
    Example(
        bad="""
            with profile(schedule=schedule(wait=1, warmup=1, active=1), on_trace_ready=done.append) as prof:
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is never stepped
                for _ in range(4):
                    torch.ones(2).sum()
            """,
        good="""
            with profile(schedule=schedule(wait=1, warmup=1, active=1), on_trace_ready=done.append) as prof:
                for _ in range(4):
                    torch.ones(2).sum()
                    prof.step()
            """,
        setup="import torch\nfrom torch.profiler import profile, schedule\n\ndone = []",
        harm=lambda bad, good: len(bad["done"]) < len(good["done"]),  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    import torch
    from torch.profiler import profile

    with profile() as prof:  # records all of it
        torch.ones(2).sum()
    """,
    """
    from contextlib import contextmanager
    from torch.profiler import profile, schedule

    @contextmanager
    def profiled():
        with profile(schedule=schedule(wait=1, warmup=1, active=1)) as prof:
            yield prof  # stepped by whoever gets it
    """,
    """
    from torch.profiler import profile

    def profiled(work, options):
        with profile(**options):  # perhaps with a schedule
            work()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for profiled in scope.happenings("profile-unstepped"):
        yield profiled.flag(
            "the profiler has a schedule and is never stepped: it records nothing; call `step()` each turn"
        )
