"""Every process of a distributed run writes the same file.

All ranks hold the same weights after each step. Where each of them calls `torch.save` with one path, they
write over each other, and a reader may find half a file. Let rank 0 save, or put the rank into the file's
name.

Source: https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html#save-and-load-checkpoints
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import CALLER, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW806", WARNING, "10-distributed/sharding#checkpoints"

EXAMPLES = [
    Example(
        bad="""
            def worker(rank, net):
                begin()
                torch.save(net.state_dict(), opened("last.pt"))
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is written by every process

            for rank in range(2):
                worker(rank, nn.Linear(2, 2))
            """,
        good="""
            def worker(rank, net):
                begin()
                if rank == 0:
                    torch.save(net.state_dict(), opened("last.pt"))

            for rank in range(2):
                worker(rank, nn.Linear(2, 2))
            """,
        setup="""
            import io
            import os
            import tempfile

            import torch
            import torch.distributed as dist
            from torch import nn

            size = int(os.environ.get("WORLD_SIZE", "1"))
            written = []

            def begin():
                if not dist.is_initialized():
                    store = os.path.join(tempfile.mkdtemp(), "store")
                    dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=size)

            def opened(path):
                written.append(path)
                return io.BytesIO()
            """,
        harm=lambda bad, good: len(bad["written"]) == 2 and len(good["written"]) == 1,  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    import torch
    import torch.distributed as dist

    def worker(rank, net):
        dist.init_process_group("gloo")
        torch.save(net.state_dict(), f"part-{rank}.pt")  # a file for each
        if rank != 0:
            return
        torch.save(net.state_dict(), "last.pt")
    """,
]
RANK = re.compile(r"rank|shard|process|worker|host|uuid|pid", re.IGNORECASE)
EXISTS = frozenset(("exists", "isfile", "is_file"))


def check(scope: Reading) -> Iterator[Flag]:
    for save in scope.calls_to("torch.save"):
        ranks, path = save.under("ranks"), save["f"]
        if (
            ranks is None
            or ranks.mode == "one"
            or path is None
            or save.guarded("rank")
            or save.guarded("process")
        ):
            continue
        if any(RANK.search(word) for word in (path.text, *scope.words_in(path.ref))):
            continue
        if any(path.text in scope.text(t) and EXISTS & scope.words_in(t) for t in scope.tests()):
            continue  # whoever comes first writes it
        begun = ranks.at is not None and scope.holds(ranks.at)
        here = begun or any(
            RANK.search(p) for p in scope.parameters
        )  # else where it is known which one this is
        yield Flag(
            save.at if here else CALLER,
            f"`{path.text}` is written by every process: let one of them save",
            because=() if here else ((save.at, "saved here"),),
        )
