"""A value that autograd has kept for the backward pass is changed through `.data`, which hides the change.

`.data` gives the same memory with a version counter of its own. A write through it counts nowhere, so the check that
would have stopped `backward` says nothing, and the gradients are computed from numbers that were not there in the
forward. Write under `torch.no_grad()` (the counter goes on), or make a new tensor.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW220", WARNING, "03-autograd/control#in-place-and-the-version-counter"

EXAMPLES = [
    Example(
        bad="""
            gate = scores.exp()
            gate.data.mul_(3)
            ^^^^^^^^^^^^^^^^^ changes unseen what `scores.exp()` has kept for backward
            (gate * 1).sum().backward()
            """,
        good="""
            gate = scores.exp()
            gate = gate + 2 * gate.detach()
            (gate * 1).sum().backward()
            """,
        setup="""
            import torch

            scores = torch.zeros(4, requires_grad=True)
            """,
        # exp has the slope 1 at 0, whatever is added to it as a number
        harm=lambda bad, good: bad["scores"].grad.eq(3).all() and good["scores"].grad.eq(1).all(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    critic = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        critic(torch.ones(4, 2)).mean().backward()
        optimizer.step()
        for weight in critic.parameters():
            weight.data.clamp_(-0.01, 0.01)  # nothing waits for its backward
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.happenings("saved-changed"):
        kept, *written = backward.because
        if written and scope.writes_unseen(written[0]):
            maker, (_, _, what) = scope.text_at(kept), backward.detail.partition(":")
            yield Flag(
                written[0],
                f"changes unseen what `{maker}` has kept for backward ({'its result' if what == 'result' else f'its {what}'}): the "
                "gradients are of numbers that were not there",
                because=((kept, "kept here"), (backward.at, "this backward does not notice")),
                part="statement",
            )
