"""An initialiser is called by its old name, without the underscore.

`nn.init.xavier_uniform` and its like are deprecated names of the in-place functions that end in an
underscore, and warn.

Source: https://docs.pytorch.org/docs/stable/nn.init.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW411", HINT, "04-neural-networks/layers#starting-weights"

EXAMPLES = [
    Example(
        bad="""
            nn.init.xavier_uniform(layer.weight)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is the deprecated name
            """,
        good="""
            nn.init.xavier_uniform_(layer.weight)
            """,
        setup="from torch import nn\n\nlayer = nn.Linear(2, 2)",
    ),
]

SILENT = [
    """
    from torch import nn

    nn.init.zeros_(nn.Linear(2, 2).bias)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_tagged("deprecated"):
        if call.spelling.startswith("torch.nn.init."):
            written = call.name
            yield call.flag(
                f"`{written}` is the deprecated name of `{written}_`",
                fix=replace_with(call.at, f"{written}_{call.text[len(written) :]}", f"Call `{written}_`"),
            )
