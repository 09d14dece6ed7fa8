"""DistributedDataParallel waits for the gradients of a layer that the loss does not use.

It averages gradients when all of its parameters have one. Where a forward leaves a layer out (an auxiliary head in
the first epochs), the averaging never ends, and the next forward raises. `find_unused_parameters=True` makes it look
each time which ones take no part; or wrap only what takes part, or let the layer take part with a weight of 0.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW442", ERROR, "10-distributed/processes#what-goes-wrong-with-ddp"

SETUP = """
    import os
    import tempfile

    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    if not dist.is_initialized():
        store = os.path.join(tempfile.mkdtemp(), "store")
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)

    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.main, self.side = nn.Linear(2, 1), nn.Linear(2, 1)

        def forward(self, x, both=False):
            return self.main(x) + self.side(x) if both else self.main(x)
    """

EXAMPLES = [
    Example(
        bad="""
            model = DistributedDataParallel(Heads())
            for _ in range(2):
                model.zero_grad()
                model(torch.ones(1, 2), both=False).sum().backward()
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ still waits for the gradients
            """,
        good="""
            model = DistributedDataParallel(Heads(), find_unused_parameters=True)
            for _ in range(2):
                model.zero_grad()
                model(torch.ones(1, 2), both=False).sum().backward()
            """,
        setup=SETUP,
        harm=RuntimeError,
    ),
]

SILENT = [
    SETUP
    + """
    model = DistributedDataParallel(Heads())
    for _ in range(2):
        model.zero_grad()
        model(torch.ones(1, 2), both=True).sum().backward()  # both take part
    for _ in range(2):
        model.zero_grad()
        out = model(torch.ones(1, 2))
        out.sum().backward()
        model.module.side(torch.ones(1, 2)).sum().backward()  # the rest of them, in two parts
    """,
    SETUP
    + """
    heads = Heads()
    heads.side.requires_grad_(False)  # nothing to wait for
    model = DistributedDataParallel(heads)
    for _ in range(2):
        model.zero_grad()
        model(torch.ones(1, 2)).sum().backward()
        with torch.no_grad():
            model(torch.ones(1, 2))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.happenings("unreduced-forward"):
        layer, made = call.because
        yield call.flag(
            f"still waits for the gradients of `{scope.text_at(layer)}`, which the last loss did not use",
            because=((made, "wrapped here, without `find_unused_parameters=True`"), (layer, "made here")),
        )
