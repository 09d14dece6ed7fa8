"""Some generators are seeded, and numbers are drawn from another one.

torch, numpy and Python's `random` have a generator each. A split, a shuffle or a distortion that draws from
one without a seed differs from run to run, however well the others are seeded.

Source: https://docs.pytorch.org/docs/stable/notes/randomness.html#other-libraries
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW909", HINT, "14-testing/repeatable-runs#three-generators"

EXAMPLES = [
    Example(
        bad="""
            def split(count):
                torch.manual_seed(0)
                return np.random.permutation(count)
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ draws from numpy's generator, which nobody has seeded

            orders = [split(50).tolist(), split(50).tolist()]
            """,
        good="""
            def split(count):
                torch.manual_seed(0)
                return torch.randperm(count)

            orders = [split(50).tolist(), split(50).tolist()]
            """,
        setup="import numpy as np\nimport torch",
        harm=lambda bad, good: (
            bad["orders"][0] != bad["orders"][1]  # type: ignore[index]
            and good["orders"][0] == good["orders"][1]  # type: ignore[index]
        ),
    ),
]

SILENT = [
    """
    import random

    import numpy as np
    import torch

    def seeded(seed):
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)

    seeded(0)
    order = np.random.permutation(50)
    choice = random.randint(0, 3)
    """,
]
OWN = ("numpy.random.Generator.", "numpy.random.RandomState.")
GENERATORS = {"numpy.random.": "numpy", "random.": "random"}


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_tagged("random"):
        other = next((g for path, g in GENERATORS.items() if call.spelling.startswith(path)), None)
        seeded = call.under("seed:torch")
        if other is None or seeded is None or call.spelling.startswith(OWN):
            continue
        if call.under(f"seed:{other}") is None:
            name = "Python's" if other == "random" else "numpy's"
            because = ((seeded.at, "only torch is seeded"),) if seeded.at is not None else ()
            yield call.flag(
                f"`{call.name}` draws from {name} generator, which nobody has seeded", because=because
            )
