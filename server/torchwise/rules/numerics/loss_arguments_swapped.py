"""A loss gets the target first and the prediction second.

Losses take the prediction, then the target. For `mse_loss` the order does not matter; for classification
losses it does:
class indices as scores raise, and swapped binary targets give another number without a word.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, replace_with
from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW704", WARNING, "04-neural-networks/losses#what-a-loss-wants"
ASYMMETRIC = (
    "cross_entropy",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
)

OUTPUTS = ("scores", "log-probabilities")  # no class indices, and no distribution over classes

EXAMPLES = [
    Example(
        bad="""
            scores = head(features)
            loss = F.binary_cross_entropy_with_logits(target, scores)
                                                      ^^^^^^ the prediction comes first
            """,
        good="""
            scores = head(features)
            loss = F.binary_cross_entropy_with_logits(scores, target)
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            torch.manual_seed(0)
            head = nn.Linear(4, 1)
            features, target = torch.ones(8, 4), torch.ones(8, 1)
            """,
        harm=lambda bad, good: not bad["loss"].isclose(good["loss"]),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch.nn.functional as F

    def compare(first, second):
        return F.mse_loss(second, first)  # the same either way
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loss in scope.calls_to(*ASYMMETRIC):
        first, second = loss["input"], loss["target"]
        if first is None or second is None or second.tensor is None:
            continue
        known = first.tensor is not None and first.tensor.requires_grad.fails
        scores = loss.compares_with_classes and second.nature in OUTPUTS and first.nature not in OUTPUTS
        if (known and second.tensor.requires_grad.holds) or scores:
            yield first.flag(
                f"`{first.text}` is no prediction, `{second.text}` is: the prediction comes first in "
                f"`{loss.op}`",
                fix=_swapped(loss, first.text, second.text),
            )


def _swapped(loss: Call, first: str, second: str) -> FixPlan | None:
    one, other = loss["input"], loss["target"]
    assert one is not None and other is not None
    if not loss.text.endswith(f"({first}, {second})") and f"({first}, {second}," not in loss.text:
        return None
    swap = replace_with(one.at, second, "Swap the two")
    return swap.and_also(replace_with(other.at, first, ""))
