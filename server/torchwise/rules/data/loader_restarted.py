"""`next(iter(loader))` in a loop starts the loader anew for every batch.

Each `iter` starts the workers, shuffles the whole order, fills the prefetch queue and throws all but one
batch away; without
shuffling it is the same first batch each time. Make the iterator once, before the loop, or loop over the
loader.

Source: https://docs.pytorch.org/docs/stable/data.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW602", HINT, "06-data/loaders#loops-that-count-steps"

EXAMPLES = [
    Example(
        bad="""
            for step in range(2):
                rows = next(iter(loader))
                       ^^^^^^^^^^^^^^^^^^ starts `loader` anew in every turn
                seen.append(rows.tolist())
            """,
        good="""
            batches = iter(loader)
            for step in range(2):
                rows = next(batches)
                seen.append(rows.tolist())
            """,
        setup="""
            import torch
            from torch.utils.data import DataLoader

            loader, seen = DataLoader(torch.arange(4), batch_size=2), []
            """,
        harm=lambda bad, good: bad["seen"] == [[0, 1], [0, 1]] and good["seen"] == [[0, 1], [2, 3]],
    ),
]

SILENT = [
    """
    from torch.utils.data import DataLoader

    def first(loaders: list[DataLoader]):
        return [next(iter(loader)) for loader in loaders]  # one batch of each
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("next"):
        started = scope.call_of(call["iterator"].ref) if call["iterator"] is not None else None
        if started is None or started.op != "iter" or not call.loops or started.loops != call.loops:
            continue
        source = started["iterable"]
        if (
            source is not None
            and source.is_a("torch.utils.data.DataLoader")
            and not scope.changes_in(call.loops[-1], source.ref)
        ):
            yield call.flag(
                f"`next(iter({source.text}))` starts `{source.text}` anew in every turn of the loop"
            )
