"""The training forward goes through `.module`, round DistributedDataParallel.

DDP readies the averaging of gradients in its own `forward`. Calling the module inside trains each process
on its own data
alone, and the copies drift apart. Reading attributes and evaluating through `.module` is fine.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW802", WARNING, "10-distributed/processes#what-goes-wrong-with-ddp"

EXAMPLES = [
    Example(
        bad="""
            watch = model.register_forward_pre_hook(lambda module, args: seen.append(1))
            loss = model.module(torch.ones(1, 2)).sum()
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ goes round DistributedDataParallel
            loss.backward()
            """,
        good="""
            watch = model.register_forward_pre_hook(lambda module, args: seen.append(1))
            loss = model(torch.ones(1, 2)).sum()
            loss.backward()
            """,
        setup="""
            import os
            import tempfile

            import torch
            import torch.distributed as dist
            from torch import nn
            from torch.nn.parallel import DistributedDataParallel

            if not dist.is_initialized():
                store = os.path.join(tempfile.mkdtemp(), "store")
                dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)
            model, seen = DistributedDataParallel(nn.Linear(2, 1)), []
            """,
        harm=lambda bad, good: not bad["seen"] and good["seen"],
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    model = DistributedDataParallel(nn.Linear(2, 1))
    with torch.no_grad():
        out = model.module(torch.ones(1, 2))  # nothing to average
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    trains = bool(scope.calls_to("backward"))
    for call in scope.happenings("module-called") if trains else ():
        owner, _, part = call.callee.rpartition(".module")
        ready = any(c.name == owner for c in scope.calls())  # its own forward has run
        if call.detail.endswith("DistributedDataParallel") and call.recording and not ready:
            fix = replace_with(call.at, owner + call.text[len(call.callee) :], f"Call `{owner}` itself")
            yield call.flag(
                f"`{call.callee}` goes round DistributedDataParallel: gradients are not averaged; call "
                f"`{owner}`",
                fix=None if part else fix,
            )
    aliases = {call.ref for call in scope.happenings("module-called")} if trains else set()
    for call in scope.happenings("wrapped-called") if trains else ():
        if call.recording and call.ref not in aliases:
            yield call.flag(
                f"`{call.callee}` is what DistributedDataParallel wraps: called by itself, gradients are not "
                f"averaged; call the wrapper"
            )
