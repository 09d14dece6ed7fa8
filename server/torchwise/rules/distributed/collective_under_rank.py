"""A collective runs on some processes only.

All processes of the group must call it, and the ones that do wait for those that do not: a deadlock. `new_group` too is
for all processes, members or not. A collective within a group of those ranks is right, and so is one that the other
processes meet on their own side (`if not main: barrier()` ... `if main: barrier()`).

Which process this is says `get_rank()`, `os.environ["RANK"]`, what `init_process_group` is given as `rank`,
`is_main_process`, `process_index` and the like. A number that is only called `gpu_id` may be anything.

Source: https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW803", ERROR, "10-distributed/processes#waiting-for-everyone"

EXAMPLES = [
    Example(
        bad="""
            def saved(rank):
                if rank == 1:
                    dist.barrier()
                    ^^^^^^^^^^^^^^ runs on some processes only
                return sorted(calls)
            ranks = saved(dist.get_rank())
            """,
        good="""
            def saved(rank):
                dist.barrier()
                return sorted(calls)
            ranks = saved(dist.get_rank())
            """,
        setup="""
            import os
            import tempfile

            import torch.distributed as dist

            if not dist.is_initialized():
                store = os.path.join(tempfile.mkdtemp(), "store")
                dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)
            calls = []
            dist.barrier = lambda: calls.append("barrier")
            """,
        harm=lambda bad, good: bad["ranks"] == [] and good["ranks"] == ["barrier"],
    ),
    Example(
        bad="""
            if int(os.environ.get("LOCAL_RANK", 0)) == 1:
                dist.barrier()
                ^^^^^^^^^^^^^^ runs on some processes only
            met = len(calls)
            """,
        good="""
            dist.barrier()
            met = len(calls)
            """,
        setup="""
            import os
            import tempfile

            import torch.distributed as dist

            if not dist.is_initialized():
                store = os.path.join(tempfile.mkdtemp(), "store")
                dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)
            calls = []
            dist.barrier = lambda: calls.append("barrier")
            """,
        harm=lambda bad, good: bad["met"] == 0 and good["met"] == 1,
    ),
]

SILENT = [
    """
    import torch.distributed as dist

    def averaged(loss, rank, members, group):
        if rank in members:
            dist.all_reduce(loss, group=group)  # of those ranks
        return loss
    """,
    """
    import torch.distributed as dist

    def main_first(work, rank):
        if rank != 0:
            dist.barrier()
        work()
        if rank == 0:
            dist.barrier()  # meets the one above
    """,
    """
    import torch.distributed as dist

    def spread(self, loss, node_idx):
        if self.lora_rank > 0:
            dist.all_reduce(loss)  # the rank of a matrix, the same on all processes
        if node_idx == 0 or self.local_rank != -1:
            dist.broadcast(loss, 0)  # of a graph; whether there are several processes
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    guarded = [
        c for c in scope.calls_tagged("collective") if c.guarded("rank") and c.ref not in scope.guarded
    ]
    for call in guarded:
        alone = sum(other.op == call.op for other in guarded) == 1
        among = [name for name in ("group", "process_group", "no_dist") if name in call]
        if alone and (not among or call.op == "new_group"):
            guard = call.under("guard", "rank")
            if guard is None or guard.at is None or scope.defines_under(guard.at.ref):
                continue
            if scope.holds(guard.at):
                message = f"`{call.name}` runs on some processes only, and waits for the others forever"
                yield call.flag(message, because=((guard.at, "only where this holds"),))
