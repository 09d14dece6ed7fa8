"""cuDNN is told to be deterministic and to search for the fastest algorithm.

`benchmark = True` times several algorithms for each new input size and takes the winner of the day, so two
runs may
compute differently in spite of `deterministic = True`.

Source: https://docs.pytorch.org/docs/stable/notes/randomness.html#cuda-convolution-benchmarking
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_statement
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW906", WARNING, "14-testing/repeatable-runs#what-cudnn-and-cublas-add"

EXAMPLES = [
    Example(
        bad="""
            torch.backends.cudnn.deterministic = True
            torch.backends.cudnn.benchmark = True
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ contradicts `deterministic`
            flags = torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic
            """,
        good="""
            torch.backends.cudnn.deterministic = True
            torch.backends.cudnn.benchmark = False
            flags = torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic
            """,
        setup="import torch",
        harm=lambda bad, good: bad["flags"] == (True, True) and good["flags"] == (False, True),
    ),
]

SILENT = [
    """
    import torch

    def seed(mode):
        if mode == 0:
            torch.backends.cudnn.benchmark = True
        else:
            torch.backends.cudnn.deterministic = True  # one or the other
    """,
    """
    import torch

    def main(only_test):
        if only_test:
            torch.backends.cudnn.deterministic = True
            return
        torch.backends.cudnn.benchmark = True
    """,
    """
    import torch

    def setup(deterministic):
        torch.backends.cudnn.deterministic = deterministic
        torch.backends.cudnn.benchmark = not deterministic
    """,
]
CUDNN = "torch.backends.cudnn."


def check(scope: Reading) -> Iterator[Flag]:
    settings = {s.detail: s for s in scope.happenings("setting") if s.is_constant(True)}
    search, fixed = settings.get(CUDNN + "benchmark"), settings.get(CUDNN + "deterministic")
    if search is None or fixed is None:
        return
    if scope.always_follows(search.ref, fixed.ref) or scope.always_follows(fixed.ref, search.ref):
        yield search.flag(
            "`benchmark` picks the fastest algorithm of the day, which contradicts `deterministic`",
            because=((fixed.at, "set here"),),
            fix=replace_statement(search.at, f"{search.text} = False", "Set `benchmark` to False"),
        )
