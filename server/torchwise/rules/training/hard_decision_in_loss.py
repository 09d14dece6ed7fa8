"""A term of a loss is made of yes or no, and teaches nothing.

A comparison (`scores > 0.5`) has no gradient: what is counted or averaged of such decisions is a number, as good as any to
look at, but a constant to the optimizer. Added to a loss it moves its value and changes no weight. The same measure of
the probabilities themselves can be learnt from.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#gradients-for-non-differentiable-functions
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW151", WARNING, "03-autograd/graph#backward"


def _changes_no_gradient(bad: dict[str, object], good: dict[str, object]) -> bool:
    """With the term the gradient of `bad` is that of the other term alone."""
    gradients = [space["head"].weight.grad for space in (bad, good)]  # type: ignore[attr-defined]
    return gradients[0].equal(bad["alone"]) and not gradients[1].equal(good["alone"])  # type: ignore[no-any-return]


EXAMPLES = [
    Example(
        bad="""
            scores = head(points)
            found = (scores.sigmoid() > 0.5).float()
                     ^^^^^^^^^^^^^^^^^^^^^^ has no gradient
            overlap = 1 - (found * target).sum() / (found.sum() + target.sum())
            loss = F.binary_cross_entropy_with_logits(scores, target) + overlap
            loss.backward()
            """,
        good="""
            scores = head(points)
            found = scores.sigmoid()
            overlap = 1 - (found * target).sum() / (found.sum() + target.sum())
            loss = F.binary_cross_entropy_with_logits(scores, target) + overlap
            loss.backward()
            """,
        setup="""
            import torch
            import torch.nn.functional as F
            from torch import nn

            torch.manual_seed(0)
            head, points, target = nn.Linear(3, 1), torch.randn(8, 3), torch.ones(8, 1)
            alone = torch.autograd.grad(
                F.binary_cross_entropy_with_logits(head(points), target), head.weight
            )[0]
            """,
        harm=_changes_no_gradient,
    ),
]

SILENT = [
    """
    import torch

    def straight_through(scores):
        soft = scores.sigmoid()
        hard = (soft > 0.5).float()
        return hard - soft.detach() + soft  # the gradient is that of `soft`
    """,
    """
    import torch
    import torch.nn.functional as F

    def masked(model, points, target):
        scores = model(points)
        sure = (scores.sigmoid() > 0.5).float()
        losses = F.mse_loss(scores, target, reduction="none")
        return (losses * sure).sum() / (sure.sum() + 1)  # chooses, and has its gradient elsewhere
    """,
    """
    import torch
    import torch.nn.functional as F

    def step(model, points, target, seen):
        scores = model(points)
        loss = F.mse_loss(scores, target)
        loss.backward()
        return seen + (scores > 0).float().mean()  # a figure of its own
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for term in scope.constant_terms("hard"):
        if term.scalar:
            yield Flag(
                term.maker,
                "has no gradient: the term of the loss that is made of it changes no weight",
                because=((term.at, "added here, as a constant"),),
            )
