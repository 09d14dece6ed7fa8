"""A softmax does not say along which axis.

Without `dim`, torch warns and picks an axis by the number of axes: 0 for 1-d and 3-d tensors, 1 otherwise.
For (batch, time, classes) that
is the batch. Say `dim=-1`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
"""

from collections.abc import Iterator
from typing import Any

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW334", WARNING, "04-neural-networks/layers#activations"


def _over_the_batch(bad: dict[str, Any], good: dict[str, Any]) -> bool:
    return bool((bad["shares"].sum(-1) - 1).abs().max() > 0.01 > (good["shares"].sum(-1) - 1).abs().max())


EXAMPLES = [
    Example(
        bad="""
            shares = F.softmax(scores)
                     ^^^^^^^^^^^^^^^^^ does not say along which axis
            """,
        good="""
            shares = F.softmax(scores, dim=-1)
            """,
        setup="""
            import torch
            import torch.nn.functional as F

            scores = torch.randn(2, 5, 3)
            """,
        harm=_over_the_batch,
    ),
]

SILENT = [
    """
    import torch.nn.functional as F

    def shares(scores, **options):
        return F.softmax(scores, **options)  # may be among them
    """,
    """
    import torch.nn as nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(16, 16)
            self.softmax = nn.Softmax()  # nothing calls it

        def forward(self, x):
            return self.linear(x)
    """,
]

FUNCTIONS = tuple(f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "softmin"))
LAYERS = tuple(f"torch.nn.{name}" for name in ("Softmax", "LogSoftmax", "Softmin"))


def check(scope: Reading) -> Iterator[Flag]:
    calls = scope.calls_to(*FUNCTIONS, *LAYERS)
    unread = {layer.ref for layer in scope.seen("layer-unread")} if calls else ()
    for call in calls:
        if call["dim"] is None and not call.is_open and call.ref not in unread:
            yield call.flag(
                f"does not say along which axis: `{call.name}` without `dim` picks one by the number of axes"
            )
