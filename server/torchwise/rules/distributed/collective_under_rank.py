"""A collective runs on some processes only.

All processes of the group must call it, and the ones that do wait for those that do not: a deadlock. `new_group` too is
for all processes, members or not. A collective within a group of those ranks is right.

Source: https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW803", ERROR, "10-distributed#collectives"

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
]

SILENT = [
    """
    import torch.distributed as dist

    def averaged(loss, rank, members, group):
        if rank in members:
            dist.all_reduce(loss, group=group)  # of those ranks
        return loss
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls():
        if call.tagged("collective") and call.guarded("rank") and ("group" not in call or call.op == "new_group"):
            guard = call.under("guard", "rank")
            because = ((guard.at, "only where this holds"),) if guard is not None and guard.at is not None else ()
            yield call.flag(f"`{call.name}` runs on some processes only, and waits for the others forever", because=because)
