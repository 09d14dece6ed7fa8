"""A DistributedSampler is walked through again, and was not told of the new epoch.

The sampler shuffles by `seed + epoch`. Without `set_epoch(epoch)` the epoch stays 0, and every epoch brings
the same examples in the same order, to the same process.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW611", WARNING, "06-data/loaders#several-processes"

EXAMPLES = [
    Example(
        bad="""
            sampler = DistributedSampler(rows, num_replicas=1, rank=0)
            loader = DataLoader(rows, batch_size=8, sampler=sampler)
            orders = []
            for epoch in range(2):
                orders.append([x.tolist() for x in loader])
                                                   ^^^^^^ brings the same order as before
            """,
        good="""
            sampler = DistributedSampler(rows, num_replicas=1, rank=0)
            loader = DataLoader(rows, batch_size=8, sampler=sampler)
            orders = []
            for epoch in range(2):
                sampler.set_epoch(epoch)
                orders.append([x.tolist() for x in loader])
            """,
        setup="""
            from torch.utils.data import DataLoader
            from torch.utils.data.distributed import DistributedSampler

            rows = list(range(32))
            """,
        harm=lambda bad, good: (
            bad["orders"][0] == bad["orders"][1] and good["orders"][0] != good["orders"][1]  # type: ignore[index]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch.utils.data import DataLoader
    from torch.utils.data.distributed import DistributedSampler

    rows = list(range(32))
    sampler, held_out = DistributedSampler(rows), DistributedSampler(rows)
    loader, others = DataLoader(rows, sampler=sampler), DataLoader(rows, sampler=held_out)

    def train(epoch, sampler=None):
        if sampler:
            sampler.set_epoch(epoch)
        for x in loader:
            pass

    def score():
        with torch.no_grad():
            return sum(x.sum() for x in others)  # in whatever order

    for epoch in range(2):
        train(epoch, sampler)
        score()
    """,
    """
    from torch.utils.data import DataLoader
    from torch.utils.data.distributed import DistributedSampler

    rows = list(range(32))
    loader = DataLoader(rows, sampler=DistributedSampler(rows, num_replicas=2, rank=0, shuffle=False))
    for epoch in range(2):
        for x in loader:
            pass
    """,
]


EVALUATION = re.compile(r"(^|_|\W)(val|valid|validation|eval|test)(_|\W|$)")


def check(scope: Reading) -> Iterator[Flag]:
    for walked in scope.seen("epoch-not-set"):
        if scope.evaluates or not walked.recording or EVALUATION.search(walked.text):
            continue  # in which order examples are evaluated does not matter
        yield walked.flag(
            f"`{walked.text}` brings the same order as before: its DistributedSampler needs `set_epoch(epoch)`",
            because=tuple((site, "the sampler") for site in walked.because),
        )
