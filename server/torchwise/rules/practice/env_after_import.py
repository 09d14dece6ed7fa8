"""The number of threads is put into the environment after torch was imported.

The libraries behind torch read `OMP_NUM_THREADS` and `MKL_NUM_THREADS` once, when they are loaded with it. Later they change
nothing in this process; `torch.set_num_threads` does, at any time.

Source: https://docs.pytorch.org/docs/stable/generated/torch.set_num_threads.html
"""

import os
from collections.abc import Iterator

from torchwise.fixes.edits import replace_statement
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW913", WARNING, "20-backends/switches#threads"
READ_ONCE = ("os.environ[OMP_NUM_THREADS]", "os.environ[MKL_NUM_THREADS]")
STARTS_OTHERS = ("subprocess", "multiprocessing", "mp", "spawn", "Process", "Popen", "system", "execv", "execvp", "run",
                 "ProcessPoolExecutor", "Pool", "launch", "start_processes", "ray")  # fmt: skip


def _no_effect(bad: dict[str, object], good: dict[str, object]) -> bool:
    os.environ.pop("OMP_NUM_THREADS")
    good["torch"].set_num_threads(good["before"])  # type: ignore[attr-defined]
    return bad["threads"] == bad["before"] and good["threads"] == 3


EXAMPLES = [
    Example(
        bad="""
            os.environ["OMP_NUM_THREADS"] = "3"
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ comes too late
            threads = torch.get_num_threads()
            """,
        good="""
            torch.set_num_threads(3)
            threads = torch.get_num_threads()
            """,
        setup="""
            import os
            import torch

            before = torch.get_num_threads()
            """,
        harm=_no_effect,
    ),
]

SILENT = [
    """
    import os

    os.environ["OMP_NUM_THREADS"] = "3"
    import torch
    """,
    """
    import os
    import subprocess

    import torch

    os.environ["OMP_NUM_THREADS"] = "1"
    subprocess.run(["train"], check=True)  # reads it when it starts
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if scope.kind != "module" or scope.mentions(*STARTS_OTHERS):
        return
    for put in scope.happenings("item-put"):
        if put.detail not in READ_ONCE or not scope.imported_before(put.ref, "torch"):
            continue
        count = put.constant if isinstance(put.constant, str) else ""
        fix = replace_statement(put.at, f"torch.set_num_threads({count})", "Set it in torch", safe=False)
        plain = count.isdecimal() and scope.binds("torch")
        yield put.flag(
            "comes too late: torch was imported before, and has read it", fix=fix if plain else None
        )
