"""An initialiser draws the row of an embedding anew that stands for padding.

`nn.Embedding(..., padding_idx=0)` makes that row zero, and keeps gradients away from it. An initialiser that goes
over all weights fills it with numbers that stay for ever: where padded places are summed or averaged, or not
masked, they count. Set the row back to zero afterwards.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW432", HINT, "04-neural-networks/layers#starting-weights"

EXAMPLES = [
    Example(
        bad="""
            class Bag(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.items = nn.Embedding(5, 3, padding_idx=0)
                    nn.init.xavier_uniform_(self.items.weight)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ draws the row of `padding_idx` too

            row = Bag().items.weight[0].abs().sum()
            """,
        good="""
            class Bag(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.items = nn.Embedding(5, 3, padding_idx=0)
                    nn.init.xavier_uniform_(self.items.weight)
                    with torch.no_grad():
                        self.items.weight[0].zero_()

            row = Bag().items.weight[0].abs().sum()
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: bad["row"] > 0 and good["row"] == 0,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Bags(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain = nn.Embedding(5, 3)
            nn.init.normal_(self.plain.weight)
            self.items = nn.Embedding(5, 3, padding_idx=0)
            nn.init.normal_(self.items.weight)
            nn.init.zeros_(self.items.weight[0])
            self.more = nn.Embedding(5, 3, padding_idx=0)
            nn.init.normal_(self.more.weight)
            self.more.weight.data[0] = 0

    Bags()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for drawn in scope.seen("padding-redrawn"):
        at, layer = drawn.because
        yield Flag(
            at,
            "this draws the row of `padding_idx` too, which is no longer zero",
            because=((layer, "the embedding"),),
        )
