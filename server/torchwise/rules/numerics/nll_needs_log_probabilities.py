"""`nll_loss` gets scores or probabilities for log-probabilities.

It picks the entry of the right class and changes its sign, nothing else. Fed with raw scores the loss
falls without end;
fed with probabilities its gradient does not grow where the model is wrong.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW703", WARNING, "04-neural-networks/losses#cross-entropy"
HELD = {"scores": "raw scores", "probabilities": "probabilities", "sigmoid": "what went through sigmoid"}

EXAMPLES = [
    Example(
        bad="""
            loss = F.nll_loss(F.softmax(head(features), dim=-1), target)
                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ holds probabilities
            """,
        good="""
            loss = F.nll_loss(F.log_softmax(head(features), dim=-1), target)
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            head = nn.Linear(4, 3)
            features, target = torch.ones(8, 4), torch.zeros(8, dtype=torch.long)
            """,
        harm=lambda bad, good: bad["loss"] < 0 < good["loss"],  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F

    def loss(scores, target):
        return F.nll_loss(torch.log(F.softmax(scores, dim=-1).clamp(min=1e-9)), target)  # after all
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loss in scope.calls_to("nll_loss"):
        scores = loss["input"]
        held = HELD.get(scores.nature or "") if scores else None
        if scores is not None and held is not None:
            yield scores.flag(
                f"`{scores.text}` holds {held}: nll_loss takes log-probabilities",
                because=tuple((site, "made here") for site in scores.origins[:1]),
            )
