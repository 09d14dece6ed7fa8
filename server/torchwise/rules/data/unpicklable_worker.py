"""A lambda or local function goes to worker processes that are started afresh.

Under `spawn` and `forkserver` a worker gets the dataset and the collate function pickled. Lambdas and functions made
inside another function cannot be pickled. Under `fork` they are simply there.

Source: https://docs.pytorch.org/docs/stable/data.html#platform-specific-behaviors
"""

import pickle
from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW606", ERROR, "06-data/loaders#what-workers-share"

EXAMPLES = [
    Example(
        bad="""
            loader = DataLoader(rows, collate_fn=lambda batch: batch, num_workers=1, multiprocessing_context="spawn")
                                                 ^^^^^^^^^^^^^^^^^^^ cannot be pickled
            first = next(iter(loader))
            """,
        good="""
            loader = DataLoader(rows, collate_fn=list, num_workers=0)
            first = next(iter(loader))
            """,
        setup="""
            from torch.utils.data import DataLoader

            rows = [1, 2, 3]
            """,
        harm=pickle.PicklingError,
    ),
]

SILENT = [
    """
    from torch.utils.data import DataLoader

    loader = DataLoader([1, 2, 3], collate_fn=lambda batch: batch, num_workers=1)  # forked, on Linux
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loader in scope.calls_to("DataLoader"):
        for local in loader.breaks("pickle"):
            given = loader[local.param]
            if given is not None:
                what = f"`{local.axis}` of `{given.text}`" if local.axis else f"`{given.text}`"
                yield given.flag(f"{what} is {local.got}, which cannot be pickled for the workers")
