"""A target is computed by the network that it is the target of, with its graph.

A bootstrapped target (`reward + gamma * value(next_state)`) stands for a number to move towards. With its
graph, gradients
flow through it too, and the network moves the target towards the prediction: another algorithm, that
learns slowly or
something wrong. Take the target under `torch.no_grad()`, or detach it.

Source: https://docs.pytorch.org/tutorials/intermediate/reinforcement_q_learning.html
"""

import re
from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW124", WARNING, "07-training/better-models#distillation"
NAMED = re.compile(r"(^|_)(targets?|expected|bootstrapped)(_|$)")

EXAMPLES = [
    Example(
        bad="""
            target = rewards + 0.9 * value(next_states)
            loss = F.mse_loss(value(states), target)
                                             ^^^^^^ has a graph through the same weights
            loss.backward()
            """,
        good="""
            target = rewards + 0.9 * value(next_states)
            loss = F.mse_loss(value(states), target.detach())
            loss.backward()
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            value = nn.Linear(2, 1)
            states, next_states, rewards = torch.ones(4, 2), torch.ones(4, 2), torch.ones(4, 1)
            """,
        harm=lambda bad, good: not bad["value"].weight.grad.allclose(good["value"].weight.grad),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    import torch.nn.functional as F

    encoder = nn.Linear(4, 8)

    def agreement(one, other):
        return F.mse_loss(encoder(one), encoder(other))  # both views are to move

    agreement(torch.ones(2, 4), torch.ones(2, 4)).backward()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loss in scope.calls_to("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss", "sub"):
        sides = (loss["input"], loss["target"] or loss["other"])
        for target, prediction in (sides, sides[::-1]) if loss.op == "sub" else (sides[::-1],):
            if target is not None and prediction is not None:
                yield from _moved(target, prediction, loss.op == "sub")


def _moved(target: Operand, prediction: Operand, by_hand: bool) -> Iterator[Flag]:
    """`by_hand`: which of the two is the target is said by its name alone."""
    told = _named(target) and not _named(prediction) if by_hand else _named(target) or _bootstrapped(target)
    if told and prediction.shares_weights_with(target):
        yield target.flag(
            f"`{target.text}` has a graph through the same weights as `{prediction.text}`: the target "
            "is trained too",
            because=tuple((site, "computed here") for site in target.origins[:1]),
            fix=append_to(target.at, ".detach()", f"Use `{target.text}.detach()`", safe=False),
        )


def _named(target: Operand) -> bool:
    return NAMED.search(target.text.lower()) is not None and target.text.isidentifier()


def _bootstrapped(target: Operand) -> bool:
    """`reward + gamma * value(next_state)`: something without a graph, and a part of what has one."""
    total = target.made_only_by("add")
    sides = [total["input"], total["other"]] if total is not None else []
    apart = [s for s in sides if s is not None and s.tensor is not None and s.tensor.requires_grad.fails]
    scaled = [s for s in sides if s is not None and s.needs_grad and s.made_only_by("mul") is not None]
    return len(apart) == 1 and len(scaled) == 1
