"""A running average is the weight itself, and averages nothing.

`p.data` and `p.detach()` share the memory of the parameter. An average that begins as one of them follows every step at
once, and moving it towards the parameter moves the parameter. Begin with a copy: `p.detach().clone()`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW153", WARNING, "07-training/better-models#stochastic-weight-averaging"


def _is_the_weight(bad: dict[str, object], good: dict[str, object]) -> bool:
    same = [space["averages"][0].equal(space["head"].weight) for space in (bad, good)]  # type: ignore[attr-defined, index]
    return same == [True, False]


EXAMPLES = [
    Example(
        bad="""
            averages = [p.data for p in head.parameters()]
            for _ in range(2):
                head(torch.ones(2, 4)).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
                for average, p in zip(averages, head.parameters()):
                    average.lerp_(p.data, 0.1)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^ moves `average` towards itself
            """,
        good="""
            averages = [p.data.clone() for p in head.parameters()]
            for _ in range(2):
                head(torch.ones(2, 4)).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
                for average, p in zip(averages, head.parameters()):
                    average.lerp_(p.data, 0.1)
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            """,
        harm=_is_the_weight,
    ),
]

SILENT = [
    """
    import torch

    def doubled(rows):
        rows.add_(rows, alpha=2)  # says so itself
        left, right = rows[:4], rows[4:8]
        left.lerp_(right, 0.5)  # of one memory, and other places
        return rows
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("lerp_", "add_"):
        average, weight = call["input"], call["end"] or call["other"]
        if average is None or weight is None or (call.op == "add_" and "alpha" not in call):
            continue
        if average.text != weight.text and average.shares_storage(weight) and average.same_place(weight):
            yield call.flag(
                f"moves `{average.text}` towards itself: `{weight.text}` is the same memory, so nothing is averaged",
                because=tuple((site, "comes from here") for site in average.origins[:1]),
            )
