"""Distributed programs in two processes over gloo: the analyser speaks of what deadlocks or drifts apart."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.examples import clean, findings

PATIENCE_S = 60
BEGIN = """
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

rank = int(os.environ["RANK"])
place = "file://" + os.path.abspath("store")
dist.init_process_group("gloo", init_method=place, rank=rank, world_size=2, timeout=timedelta(seconds=4))
torch.manual_seed(rank)
"""


def both_end(program: str, folder: Path) -> bool:
    """Runs the program in two processes; False where one of them waits for the other in vain."""
    (folder / "program.py").write_text(BEGIN + clean(program) + "dist.destroy_process_group()\n")
    running = [
        subprocess.Popen(
            [sys.executable, "program.py"],
            cwd=folder,
            env={"RANK": str(rank)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        errors = [each.communicate(timeout=PATIENCE_S)[1] for each in running]
    finally:
        for each in running:
            each.kill()
    assert all(
        "Timed out" in e or "Connection" in e or not each.returncode for e, each in zip(errors, running)
    ), errors
    return not any(each.returncode for each in running)


MAIN_ALONE = """
    if rank == 0:
        dist.barrier()
"""
EVERYBODY = """
    dist.barrier()
"""
MAIN_FIRST = """
    if rank != 0:
        dist.barrier()
    open("prepared", "a").close()
    if rank == 0:
        dist.barrier()
"""
LEFT_EARLY = """
    def report(total):
        if dist.get_rank() != 0:
            return
        dist.all_reduce(total)
        print(total)

    report(torch.ones(()))
"""
REDUCED_FIRST = """
    def report(total):
        dist.all_reduce(total)
        if dist.get_rank() != 0:
            return
        print(total)

    report(torch.ones(()))
"""


@pytest.mark.parametrize("program", [MAIN_ALONE, LEFT_EARLY])
def test_a_deadlock_is_found(program: str, tmp_path: Path) -> None:
    assert not both_end(program, tmp_path)
    assert [f.name for f in findings(BEGIN + clean(program))] == ["collective-under-rank"]


@pytest.mark.parametrize("program", [EVERYBODY, MAIN_FIRST, REDUCED_FIRST])
def test_where_all_meet_nothing_is_said(program: str, tmp_path: Path) -> None:
    assert both_end(program, tmp_path)
    assert findings(BEGIN + clean(program)) == []


STEP = """
    model = DistributedDataParallel(nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    {forward}(torch.randn(4, 2)).sum().backward()
    optimizer.step()
    torch.save(model.module.weight.detach(), f"weight-{{rank}}")
"""


@pytest.mark.parametrize(
    ("forward", "said"), [("model.module", ["ddp-bypassed"]), ("model", [])], ids=["bypassed", "synchronised"]
)
def test_replicas_drift_apart_where_the_wrapper_is_bypassed(
    forward: str, said: list[str], tmp_path: Path
) -> None:
    import torch

    program = STEP.format(forward=forward)
    assert both_end(program, tmp_path)
    weights = [torch.load(tmp_path / f"weight-{rank}") for rank in range(2)]
    assert torch.equal(*weights) == (not said)
    assert [f.name for f in findings(BEGIN + clean(program)) if f.severity != "hint"] == said
