"""DistributedDataParallel gets `device_ids` for a module that lives on the CPU.

`device_ids` names the one GPU that the module is on; for a module on the CPU it has to be None, or the
constructor raises ValueError. Where the module goes to a GPU only if there is one, pass `device_ids` on
that path only.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW805", ERROR, "10-distributed/processes#a-whole-run"

EXAMPLES = [
    Example(
        bad="""
            net = DistributedDataParallel(nn.Linear(4, 2), device_ids=[0])
                                                                      ^^^ but the module is on the CPU
            """,
        good="""
            net = DistributedDataParallel(nn.Linear(4, 2))
            """,
        setup="""
            import os
            import tempfile

            import torch.distributed as dist
            from torch import nn
            from torch.nn.parallel import DistributedDataParallel

            if not dist.is_initialized():
                store = os.path.join(tempfile.mkdtemp(), "store")
                dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)
            """,
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    def wrapped(model, rank):
        return DistributedDataParallel(model, device_ids=[rank])  # wherever the caller put it

    def built(rank):
        model = nn.Linear(4, 2)
        if torch.cuda.is_available():
            return DistributedDataParallel(model.to(rank), device_ids=[rank])
        return DistributedDataParallel(model)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("DistributedDataParallel"):
        given = call["device_ids"]
        if given is None or not call.may_break("device-ids"):
            continue
        certain = any(call.breaks("device-ids"))
        where = "the module is on the CPU" if certain else "on one path the module stays on the CPU"
        message = f"`device_ids={given.text}` names a GPU, but {where}"
        yield given.flag(message, level=ERROR if certain else WARNING)
