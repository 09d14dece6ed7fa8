"""All processes load a file that one of them may still be writing.

One process saves, and the others go on at once: where nothing holds them, they look for the file before it is
there, or find half of it. A `dist.barrier()` between the two lets them wait.

Source: https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html#save-and-load-checkpoints
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW809", WARNING, "10-distributed/sharding#checkpoints"

EXAMPLES = [
    Example(
        bad="""
            def resumed(net, rank, path):
                if rank == 0:
                    torch.save(net.state_dict(), path)
                return torch.load(path)
                       ^^^^^^^^^^^^^^^^ may not be written yet

            resumed(nn.Linear(2, 2), int(os.environ.get("RANK", 1)), path)
            """,
        good="""
            def resumed(net, rank, path):
                if rank == 0:
                    torch.save(net.state_dict(), path)
                dist.barrier()
                return torch.load(path)

            dist.barrier = lambda: torch.save({}, path)  # the other process has saved it by then
            resumed(nn.Linear(2, 2), int(os.environ.get("RANK", 1)), path)
            """,
        setup="""
            import os
            import tempfile

            import torch
            import torch.distributed as dist
            from torch import nn

            path = os.path.join(tempfile.mkdtemp(), "last.pt")
            """,
        harm=FileNotFoundError,
    ),
]

SILENT = [
    """
    import torch

    def resumed(net, rank, path, old):
        if rank == 0:
            torch.save(net.state_dict(), path)
            again = torch.load(path)  # by the one that has saved it
        return torch.load(old)  # another file

    def held(net, rank, path, launcher):
        if rank == 0:
            torch.save(net.state_dict(), path)
        launcher.wait_for_everyone()
        return torch.load(path)  # whatever that does
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for load in scope.calls_to("torch.load"):
        if load.guarded("rank") or load.guarded("process"):
            continue
        for save in scope.calls_to("torch.save"):
            if save.guarded("rank") and _same_file(save, load) and not scope.may_wait(save.ref, load.ref):
                yield load.flag(
                    "this file may not be written yet: one process saves it, and the others do not wait",
                    because=((save.at, "saved here by one"),),
                )
                break


def _same_file(save: Call, load: Call) -> bool:
    written, read = save["f"], load["f"]
    return save.ref < load.ref and written is not None and read is not None and written.text == read.text
