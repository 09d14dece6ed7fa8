"""`fully_shard` is applied to a model before its blocks.

Each call groups the parameters that are not in a group yet. Applied to the root first, all of them are in
one group, and
nothing is left for the blocks. Go from the inside out: the blocks, then the model.

Source: https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW801", ERROR, "10-distributed/sharding#fsdp2"

EXAMPLES = [
    Example(
        bad="""
            fully_shard(model)
            for block in model:
                fully_shard(block)
                ^^^^^^^^^^^^^^^^^^ already belongs to what was sharded
            """,
        good="""
            for block in model:
                fully_shard(block)
            fully_shard(model)
            """,
        setup="""
            import os
            import tempfile

            import torch.distributed as dist
            from torch import nn
            from torch.distributed.fsdp import fully_shard

            if not dist.is_initialized():
                store = os.path.join(tempfile.mkdtemp(), "store")
                dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)
            model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
            """,
        harm=Exception,
    ),
]

SILENT = [
    """
    from torch import nn
    from torch.distributed.fsdp import fully_shard

    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    fully_shard(first)
    fully_shard(second)  # not inside the first
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("fully_shard"):
        for before in call.breaks("sharded"):
            module = call["module"]
            text = module.text if module is not None else "it"
            yield call.flag(
                f"`{text}` already belongs to what was sharded before: `fully_shard` goes from the inside "
                "out",
                because=scope.made(before.because, "sharded here"),
            )
