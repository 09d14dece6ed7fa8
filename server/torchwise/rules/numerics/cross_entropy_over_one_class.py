"""Cross entropy is taken over an axis with one class.

Softmax over a single score is 1, whatever the score: the loss is 0 from the first step on and has no gradients. With two
classes and one score, `binary_cross_entropy_with_logits` is the loss; cross entropy wants one score for each class, two.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import of_one_class

CODE, LEVEL, LESSON = "TW810", WARNING, "04-neural-networks/losses#binary-and-multi-label"


def _learns_nothing(bad: dict[str, object], good: dict[str, object]) -> bool:
    still, moved = (space["head"].weight.grad.abs().max() for space in (bad, good))  # type: ignore[attr-defined]
    return bool(bad["loss"] == 0 and still == 0 and moved > 0)


SETUP = """
    import torch
    import torch.nn.functional as F
    from torch import nn

    head = nn.Linear(8, 1)
    batch, answers = torch.randn(6, 8), torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]).unsqueeze(1)
    """

EXAMPLES = [
    Example(
        bad="""
            loss = F.cross_entropy(head(batch), answers)
                                   ^^^^^^^^^^^ is (6, 1): one class
            loss.backward()
            """,
        good="""
            loss = F.binary_cross_entropy_with_logits(head(batch), answers)
            loss.backward()
            """,
        setup=SETUP,
        harm=_learns_nothing,
    ),
    Example(
        bad="""
            criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
            loss = criterion(head(batch), answers)
                             ^^^^^^^^^^^ is (6, 1): one class
            loss.backward()
            """,
        good="""
            criterion = nn.BCEWithLogitsLoss()
            loss = criterion(head(batch), answers)
            loss.backward()
            """,
        setup=SETUP,
        harm=_learns_nothing,
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F
    from torch import nn

    def loss_of(scores, target):
        if scores.shape[1] == 1:
            return F.binary_cross_entropy_with_logits(scores, target)
        return F.cross_entropy(scores, target.long())

    loss_of(nn.Linear(8, 1)(torch.randn(4, 8)), torch.rand(4, 1))

    images, texts = torch.randn(1, 16), torch.randn(1, 16)
    F.cross_entropy(images @ texts.T, torch.arange(1))  # every example is a class: a batch of one has one
    F.cross_entropy(torch.randn(4, 3, 1), torch.zeros(4, 1, dtype=torch.long))  # one place, three classes
    """,
    """
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Tagger(nn.Module):
        def __init__(self, classes=1):  # whoever makes it says how many
            super().__init__()
            self.head = nn.Linear(8, classes)

        def forward(self, rows, labels):
            return F.cross_entropy(self.head(rows), labels)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("cross_entropy", "CrossEntropyLoss"):
        scores = call["input"]
        if scores is not None and of_one_class(scores):
            yield scores.flag(
                f"{scores.quoted} is {scores.sizes}: one class, whose probability is always 1, so the loss is always 0"
            )
