"""The generator is set back to the same seed while a model is being trained.

From there on it gives the same numbers again: each epoch shuffles the same way, and drops and distorts the
same places. Seed once before the training begins, or with a number that changes (`seed + epoch`). A
repetition on purpose can draw from a `torch.Generator` of its own.

Source: https://docs.pytorch.org/docs/stable/notes/randomness.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW908", WARNING, "14-testing/repeatable-runs#the-sequence-is-shared"

EXAMPLES = [
    Example(
        bad="""
            optimizer = torch.optim.SGD([weight], lr=0.1)
            drawn = []
            for epoch in range(3):
                torch.manual_seed(7)
                ^^^^^^^^^^^^^^^^^^^^ starts the same numbers over again
                noise = torch.randn(2)
                optimizer.zero_grad()
                (weight * noise).sum().backward()
                optimizer.step()
                drawn.append(noise.tolist())
            """,
        good="""
            optimizer = torch.optim.SGD([weight], lr=0.1)
            drawn = []
            for epoch in range(3):
                torch.manual_seed(7 + epoch)
                noise = torch.randn(2)
                optimizer.zero_grad()
                (weight * noise).sum().backward()
                optimizer.step()
                drawn.append(noise.tolist())
            """,
        setup="import torch\n\nweight = torch.ones(2, requires_grad=True)",
        harm=lambda bad, good: (
            bad["drawn"][0] == bad["drawn"][1]  # type: ignore[index]
            and good["drawn"][0] != good["drawn"][1]  # type: ignore[index]
        ),
    ),
]

SILENT = [
    """
    import torch

    def trained(lr):
        torch.manual_seed(0)  # each run of it alike
        layer = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=lr)
        for _ in range(3):
            optimizer.zero_grad()
            layer(torch.randn(4, 2)).sum().backward()
            optimizer.step()
        return layer

    models = [trained(lr) for lr in (0.1, 0.01)]
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.seen("reseeded"):
        for seed in step.because:
            here = scope.here(seed)
            if scope.holds(here):
                yield Flag(
                    here,
                    "this starts the same numbers over again while the model is trained: what is drawn repeats",
                    because=((step.at, "the optimizer goes on here"),),
                )
