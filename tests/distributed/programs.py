"""Distributed programs, each with what comes of it in two processes and what the analyser says of it."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """
import os
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
"""
BEGIN = """
rank = int(os.environ["RANK"])
folder, told = "run", {}
dist.init_process_group("gloo", rank=rank, world_size=2)
"""  # what the analyser reads in place of what the two processes have begun with


@dataclass(frozen=True)
class Program:
    """`ends` is "well", "waiting" (one process waits for the other in vain), or what is raised."""

    name: str
    code: str
    ends: str = "well"
    says: tuple[str, ...] = ()


UNDER_RANK = "collective-under-rank"
COLLECTIVES = [
    Program("main alone", "if rank == 0:\n    dist.barrier()", "waiting", (UNDER_RANK,)),
    Program("everybody", "dist.barrier()"),
    Program(
        "by the environment",
        'if int(os.environ["RANK"]) == 0:\n    dist.all_reduce(torch.ones(()))',
        "waiting",
        (UNDER_RANK,),
    ),
    Program(
        "main first",
        """
if rank != 0:
    dist.barrier()
open(f"{folder}/prepared", "a").close()
if rank == 0:
    dist.barrier()
""",
    ),
    Program(
        "left early",
        """
def report(total):
    if dist.get_rank() != 0:
        return
    dist.all_reduce(total)

report(torch.ones(()))
""",
        "waiting",
        (UNDER_RANK,),
    ),
    Program(
        "reduced first",
        """
def report(total):
    dist.all_reduce(total)
    if dist.get_rank() != 0:
        return
    told["total"] = total.item()

report(torch.ones(()))
""",
    ),
]

SHARED = 'dcp.save({"net": nn.Linear(2, 1).state_dict()}, checkpoint_id=f"{folder}/whole"%s)'
CHECKPOINTS = [
    Program("a sharded checkpoint", SHARED % ""),
    Program("sharded by one", "if rank == 0:\n    " + SHARED % "", "waiting", (UNDER_RANK,)),
    Program("by one alone", "if rank == 0:\n    " + SHARED % ", no_dist=True"),
    Program(
        "saved by all",
        """
net = nn.Linear(2, 1)
torch.save(net.state_dict(), "last.pt" if folder == "run" else f"{folder}/last.pt")
told["written"] = True
""",
        says=("save-on-every-rank",),
    ),
    Program(
        "saved by one",
        """
net = nn.Linear(2, 1)
if rank == 0:
    torch.save(net.state_dict(), f"{folder}/last.pt")
    told["written"] = True
dist.barrier()
state = torch.load(f"{folder}/last.pt", map_location="cpu")
net.load_state_dict(state)
told["weight"] = net.weight.tolist()
""",
    ),
    Program(
        "loaded at once",
        """
import time

def main_saves(net, path):
    if rank == 0:
        time.sleep(0.5)
        torch.save(net.state_dict(), path)
    return torch.load(path)

main_saves(nn.Linear(2, 1), f"{folder}/last.pt")
""",
        "FileNotFoundError",
        ("load-before-saved",),
    ),
]

STEP = """
model = DistributedDataParallel(nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.zero_grad()
{forward}(torch.randn(4, 2)).sum().backward()
optimizer.step()
told["weight"] = model.module.weight.tolist()
"""
COMPILED = """
net = nn.Linear(2, 1)
compiled = torch.compile({inner}, backend="eager")
model = {outer}
{called}(torch.randn(4, 2)).sum().backward()
told["grad"] = net.weight.grad.tolist()
"""
WRAPPED = "DistributedDataParallel(net)"
REPLICAS = [
    Program("averaged", STEP.format(forward="model")),
    Program("bypassed", STEP.format(forward="model.module"), says=("ddp-bypassed",)),
    Program("wrapper compiled", COMPILED.format(inner=WRAPPED, outer="compiled", called="model")),
    Program(
        "compiled, then wrapped",
        COMPILED.format(inner="net", outer="DistributedDataParallel(compiled)", called="model"),
    ),
    Program(
        "compiled beside the wrapper",
        COMPILED.format(inner="net", outer=WRAPPED, called="compiled"),
        says=("ddp-bypassed",),
    ),
]

NORM = """
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
kept = [*net.parameters(), *net.buffers()]
"""
CONVERT = "net = nn.SyncBatchNorm.convert_sync_batchnorm(net)"
SYNCHRONISED = [
    Program(
        "converted, then wrapped",
        f"{NORM}\n{CONVERT}\nmodel = DistributedDataParallel(net)",
        "ValueError",
        ("sync-batchnorm-on-cpu",),
    ),
    Program(
        "wrapped, then converted",
        f"""{NORM}
net = DistributedDataParallel(net)
{CONVERT}
same = [a is b for a, b in zip(kept, [*net.parameters(), *net.buffers()], strict=True)]
told["same"] = all(same) and type(net.module[1]) is nn.SyncBatchNorm
""",
    ),
]

BLOCKS = "net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))"
TRAINED = """
before = [p.full_tensor().clone() for p in net.parameters()]
net(torch.randn(2, 4)).sum().backward()
optimizer.step()
told["changed"] = [not torch.equal(a, p.full_tensor()) for a, p in zip(before, net.parameters(), strict=True)]
"""
OPTIMIZER = "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"
SHARDED = [
    Program(
        "from the inside out",
        f"{BLOCKS}\nfor block in net:\n    fully_shard(block)\nfully_shard(net)\n{OPTIMIZER}\n{TRAINED}",
    ),
    Program(
        "the root first",
        f"{BLOCKS}\nfully_shard(net)\nfor block in net:\n    fully_shard(block)\n{OPTIMIZER}\n{TRAINED}",
        "TypeError",
        ("fsdp-root-first",),
    ),
    Program(
        "optimizer first",
        f"{BLOCKS}\n{OPTIMIZER}\nfully_shard(net)\n{TRAINED}",
        says=("parametrization-after-optimizer",),
    ),
]

EPOCHS = """
numbers = TensorDataset(torch.arange(8.0))
sampler = DistributedSampler(numbers)
loader = DataLoader(numbers, batch_size=4, sampler=sampler)
epochs = []
for epoch in range(2):
    {set}
    for (batch,) in loader:
        epochs.append(batch.tolist())
told["epochs"] = epochs
"""
SAMPLED = [
    Program("never told of the epoch", EPOCHS.format(set="pass"), says=("set-epoch-missing",)),
    Program("told of the epoch", EPOCHS.format(set="sampler.set_epoch(epoch)")),
]

PROGRAMS = [*COLLECTIVES, *CHECKPOINTS, *REPLICAS, *SYNCHRONISED, *SHARDED, *SAMPLED]
