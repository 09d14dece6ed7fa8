"""`python pair.py PROGRAMS`: what one of two processes does with each program of `{name: [code, seconds]}`.

Both go through them side by side, each time in a fork of their own and with a process group of their own.
A program puts what it measured into `told`; written down is that, or the exception that it ended with.
Importing torch takes longer than all of the programs: so it is done once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from datetime import timedelta
from pathlib import Path

import torch
import torch._dynamo  # here, so that the processes keep pace
import torch.distributed as dist
import torch.distributed.checkpoint
import torch.distributed.fsdp

RANK = int(os.environ["RANK"])
LONGEST_S = 120  # of one program, on a machine that does other things too


def together(folder: Path, moment: str) -> None:
    """Waits for the other process without a process group."""
    folder.joinpath(f"{moment}-{RANK}").touch()
    while not folder.joinpath(f"{moment}-{1 - RANK}").exists():
        time.sleep(0.01)


def done_with(folder: Path, name: str, code: str, patience_s: float) -> dict[str, object]:
    """`patience_s` is for how long a process waits for the other in a collective."""
    space: dict[str, object] = {"__name__": "__main__", "told": {}, "rank": RANK, "folder": str(folder)}
    place, patience = f"file://{folder.resolve()}/store", timedelta(seconds=patience_s)
    dist.init_process_group("gloo", init_method=place, rank=RANK, world_size=2, timeout=patience)
    together(folder, "group")
    torch.manual_seed(RANK)
    try:
        exec(compile(code, f"{name}.py", "exec"), space)
    except Exception as error:
        return {"raised": type(error).__name__, "text": str(error), "trace": traceback.format_exc()}
    return {"told": space["told"]}


def forked(number: int, name: str, code: str, patience_s: float) -> dict[str, object]:
    folder = Path(f"run-{number}")
    folder.mkdir(exist_ok=True)
    answer = folder / f"answer-{RANK}.json"
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST_S)
        together(folder, "begin")
        answer.write_text(json.dumps(done_with(folder, name, code, patience_s)))
        together(folder, "end")  # who leaves earlier would end the wait of the other
        os._exit(0)
    os.waitpid(child, 0)
    found: dict[str, object] = json.loads(answer.read_text()) if answer.exists() else {"trace": "it hangs"}
    return found


if __name__ == "__main__":
    programs = json.loads(Path(sys.argv[1]).read_text())
    answers = {name: forked(n, name, *how) for n, (name, how) in enumerate(programs.items())}
    Path(f"found-{RANK}.json").write_text(json.dumps(answers))
