"""Gradients are cleared between `backward` and `step`.

`backward` fills the gradients, `step` uses them. Where `zero_grad` comes between the two, or the body of
the loop has
`step` before `backward`, the optimizer never sees a gradient and the weights never move.

Source: https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW117", WARNING, "05-optimizers/optimizers#clearing-gradients"

EXAMPLES = [
    Example(
        bad="""
            for batch in batches:
                loss = head(batch).mean()
                loss.backward()
                optimizer.zero_grad()
                optimizer.step()
                ^^^^^^^^^^^^^^^^ steps without gradients
            """,
        good="""
            for batch in batches:
                loss = head(batch).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            before = head.weight.detach().clone()
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches = [torch.ones(8, 4)] * 2
            """,
        harm=lambda bad, good: (
            bad["before"].equal(bad["head"].weight) and not good["before"].equal(good["head"].weight)
        ),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    def train(model, batches, optimizer):
        for batch in batches:
            optimizer.step()  # from the second turn on there are gradients
            optimizer.zero_grad()
            model(batch).mean().backward()
    """,
    """
    import torch

    def play(player, critic, states, player_optimizer, critic_optimizer):
        for state in states:
            player_optimizer.zero_grad()
            critic(player(state)).mean().backward()
            critic_optimizer.zero_grad()  # those of the other network
            player_optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.happenings("step-on-wasted"):
        backward, cleared = (*step.because, step.at)[:2]
        if scope.holds(cleared) or cleared == step.at:
            yield step.flag(
                "steps without gradients: they are cleared after `backward` and before this step",
                because=((cleared, "cleared here"), (backward, "worked out here")),
            )
        else:  # the step is a function of its own, and may be right for other callers
            yield Flag(
                cleared,
                f"clears what `backward` worked out: `{step.text}` then has no gradients to step with",
                because=((backward, "worked out here"), (step.at, "stepped here")),
            )
