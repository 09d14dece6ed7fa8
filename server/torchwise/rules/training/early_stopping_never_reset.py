"""Early stopping counts the epochs without improvement, and does not start again when there is one.

Patience means epochs in a row. A counter that is never set back to 0 adds up all epochs that were no better than the best
so far, so that training ends after a few ups and downs, however well it goes on.

Source: https://keras.io/api/callbacks/early_stopping/
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW131", HINT, "07-training/loop#stopping-early"

EXAMPLES = [
    Example(
        bad="""
            for epoch, loss in enumerate(losses):
                if loss < best:
                   ^^^^^^^^^^^ is an improvement, but `waited` goes on counting
                    best = loss
                else:
                    waited += 1
                    if waited >= patience:
                        break
            """,
        good="""
            for epoch, loss in enumerate(losses):
                if loss < best:
                    best = loss
                    waited = 0
                else:
                    waited += 1
                    if waited >= patience:
                        break
            """,
        setup="""
            import torch

            losses = [(0.9**i) * (1.3 if i % 2 else 1.0) for i in range(20)]
            best, waited, patience = float("inf"), 0, 3
            """,
        harm=lambda bad, good: bad["epoch"] < good["epoch"],  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import torch

    class EarlyStopping:
        def __init__(self, patience):
            self.patience, self.best, self.counter = patience, float("inf"), 0

        def __call__(self, loss):
            if loss > self.best:
                self.counter += 1
            else:
                self.best = loss
                self.counter = 0
            return self.counter >= self.patience
    """,
    """
    import torch

    def train(step, patience):
        best, waited = float("inf"), 0
        for _ in range(100):
            loss = step()
            waited += 1
            if loss < best:
                best, waited = loss, 0
            if waited > patience:
                break
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for found in scope.improvements():
        if found.counter and not found.calls_own and not scope.sets_again(found.counter, found.counts):
            yield scope.flag(
                found.at,
                f"is an improvement, but `{found.counter}` goes on counting from where it was",
                because=((scope.site(found.counts), "counted here"),),
            )
