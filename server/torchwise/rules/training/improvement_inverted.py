"""A figure is taken for the best so far when it is worse.

An accuracy that is lower than the best, or a loss that is higher, is no improvement: what is kept, saved or waited for is
the worst model. Which way is up must fit the figure; initial values (`inf`, `-inf`, 0) must fit it too.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading, figures

CODE, LEVEL, LESSON = "TW132", HINT, "07-training/loop#stopping-early"

EXAMPLES = [
    Example(
        bad="""
            for epoch, accuracy in enumerate(accuracies):
                if accuracy < best_accuracy:
                   ^^^^^^^^^^^^^^^^^^^^^^^^ takes a lower `accuracy` for a better one
                    best_accuracy, best_epoch = accuracy, epoch
            """,
        good="""
            for epoch, accuracy in enumerate(accuracies):
                if accuracy > best_accuracy:
                    best_accuracy, best_epoch = accuracy, epoch
            """,
        setup="""
            import torch

            accuracies, best_accuracy, best_epoch = [0.3, 0.6, 0.9, 0.2], 0.5, 0
            """,
        harm=lambda bad, good: bad["best_accuracy"] < good["best_accuracy"],  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import torch

    def best_of(runs):
        best = float("inf")
        for negated_accuracy in runs:
            if negated_accuracy < best:
                best = negated_accuracy
        return best
    """,
    """
    import torch

    def hardest(losses):
        worst = 0.0
        for loss in losses:
            if loss > worst:
                worst = loss  # the worst is wanted
        return worst
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for found in scope.improvements():
        wrong = figures.RISES if found.falls else figures.FALLS
        if (
            wrong.search(found.name)
            and "best" in found.best.lower()
            and not figures.TURNED.search(found.name + found.best)
        ):
            way = "lower" if found.falls else "higher"
            yield scope.flag(found.at, f"takes a {way} `{found.name}` for a better one")
