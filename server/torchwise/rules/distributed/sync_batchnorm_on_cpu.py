"""DistributedDataParallel wraps a module on the CPU that holds SyncBatchNorm.

SyncBatchNorm averages its statistics between graphics cards and knows no other way: the constructor of
DistributedDataParallel raises ValueError where it finds one in a module on the CPU. Convert only where the model goes
to a GPU. Whether `convert_sync_batchnorm` comes before or after the wrapper changes nothing else: it works in place,
and the new layers keep the parameters and buffers of the old ones.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW808", ERROR, "10-distributed/processes#a-whole-run"

EXAMPLES = [
    Example(
        bad="""
            net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
            net = DistributedDataParallel(net)
                                          ^^^ is on the CPU
            """,
        good="""
            net = DistributedDataParallel(net)
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
            net = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2))
            """,
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    def wrapped(model):
        return DistributedDataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(model))  # wherever it is

    def built(rank):
        model = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2))
        if torch.cuda.is_available():
            model = nn.SyncBatchNorm.convert_sync_batchnorm(model).to(rank)
        return DistributedDataParallel(model)

    def on_gpu(rank):
        model = nn.Sequential(nn.Linear(4, 2), nn.BatchNorm1d(2)).cuda(rank)
        model = DistributedDataParallel(model)
        return nn.SyncBatchNorm.convert_sync_batchnorm(model)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("DistributedDataParallel"):
        module = call["module"]
        if module is not None and call.may_break("sync-batchnorm"):
            certain = any(call.breaks("sync-batchnorm"))
            where = "is on the CPU" if certain else "stays on the CPU on one path"
            message = f"`{module.text}` holds SyncBatchNorm and {where}: DistributedDataParallel refuses it"
            yield module.flag(message, level=ERROR if certain else WARNING)
