"""A penalty on gradients is added to a loss, but the gradients have no graph.

`torch.autograd.grad` gives plain numbers unless it is asked for `create_graph=True`. A term computed from
them alone is a constant to
autograd: the penalty shows up in the value of the loss and changes no weight.

Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW209", WARNING, "03-autograd/custom#gradients-of-gradients"


def _no_effect(bad: dict[str, object], good: dict[str, object]) -> bool:
    """The gradient is that of the loss without the penalty."""
    return not bad["critic"].weight.grad.equal(good["critic"].weight.grad)  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            slope = torch.autograd.grad(critic(points).tanh().sum(), points)[0]
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ without `create_graph=True`
            penalty = (slope.norm(dim=1) - 1).pow(2).mean()
            loss = critic(points).mean() + 10 * penalty
            loss.backward()
            """,
        good="""
            slope = torch.autograd.grad(critic(points).tanh().sum(), points, create_graph=True)[0]
            penalty = (slope.norm(dim=1) - 1).pow(2).mean()
            loss = critic(points).mean() + 10 * penalty
            loss.backward()
            """,
        setup="""
            import torch
            from torch import nn

            torch.manual_seed(0)
            critic = nn.Linear(3, 1)
            points = torch.randn(4, 3, requires_grad=True)
            """,
        harm=_no_effect,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model, images = nn.Linear(3, 1), torch.randn(4, 3, requires_grad=True)
    slope = torch.autograd.grad(model(images).sum(), images)[0]
    attacked = images.detach() + 0.1 * slope.sign()  # an input, no penalty
    model(attacked).sum().backward()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.constant_terms("penalty"):
        yield Flag(
            call.maker,
            "these gradients have no graph without `create_graph=True`: the term made of them changes no "
            "weight",
            because=((call.at, "added here, as a constant"),),
        )
