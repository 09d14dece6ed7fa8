"""A binary loss gets what it does not take: probabilities for logits, or logits for probabilities.

`binary_cross_entropy_with_logits` applies sigmoid itself: fed with probabilities, its prediction stays
between 0.5 and
0.73 and it never learns to say no. `binary_cross_entropy` takes probabilities: raw scores outside 0 to 1
raise.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW702", WARNING, "04-neural-networks/losses#binary-and-multi-label"

EXAMPLES = [
    Example(
        bad="""
            loss = F.binary_cross_entropy_with_logits(torch.sigmoid(scores), target)
                                                      ^^^^^^^^^^^^^^^^^^^^^ went through sigmoid
            """,
        good="""
            loss = F.binary_cross_entropy_with_logits(scores, target)
            """,
        setup="""
            import torch
            import torch.nn.functional as F

            scores, target = torch.tensor([-9.0, 9.0]), torch.tensor([0.0, 1.0])
            """,
        harm=lambda bad, good: bad["loss"] > 0.3 and good["loss"] < 0.01,  # type: ignore[operator]
    ),
    Example(
        bad="""
            loss = F.binary_cross_entropy(head(features), target)
                                          ^^^^^^^^^^^^^^ holds raw scores
            """,
        good="""
            loss = F.binary_cross_entropy(torch.sigmoid(head(features)), target)
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            torch.manual_seed(0)
            head = nn.Linear(4, 1)
            features, target = torch.randn(64, 4) * 9, torch.ones(64, 1)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F

    def loss(scores, target):
        return F.binary_cross_entropy(torch.sigmoid(scores), target)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loss in scope.calls_to("binary_cross_entropy_with_logits"):
        scores = loss["input"]
        if scores is not None and scores.nature in ("probabilities", "sigmoid"):
            yield scores.flag(
                f"`{scores.text}` went through {'sigmoid' if scores.nature == 'sigmoid' else 'softmax'}: "
                "this loss takes logits, and applies sigmoid itself",
                because=tuple((site, "made here") for site in scores.origins[:1]),
            )
    for loss in scope.calls_to("binary_cross_entropy"):
        scores = loss["input"]
        if scores is not None and scores.nature in ("scores", "log-probabilities", "log-sigmoid"):
            yield scores.flag(
                f"`{scores.text}` holds {'raw scores' if scores.nature == 'scores' else 'logarithms'}: "
                "this loss takes probabilities",
                because=tuple((site, "made here") for site in scores.origins[:1]),
            )
