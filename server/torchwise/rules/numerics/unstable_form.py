"""The logarithm of a softmax or sigmoid is taken by hand.

A softmax of scores that lie far apart is exactly 0 for the small ones, and log(0) is -inf with a NaN
gradient. `F.log_softmax` and `F.logsigmoid` compute the same in one step that cannot underflow;
`F.softplus` is `log(1 + exp(x))`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW720", HINT, "04-neural-networks#losses"


def _not_finite(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bool(bad["logs"].isinf().any() and good["logs"].isfinite().all())  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            chances = scores.softmax(dim=1)
            logs = torch.log(chances)
                   ^^^^^^^^^^^^^^^^^^ is -inf where the softmax underflows to 0
            """,
        good="""
            logs = scores.log_softmax(dim=1)
            """,
        setup="""
            import torch

            scores = torch.tensor([[400.0, 0.0], [1.0, 2.0]])
            """,
        harm=_not_finite,
    ),
    Example(
        bad="""
            logs = torch.sigmoid(margins).log()
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is -inf where the sigmoid underflows to 0
            """,
        good="""
            logs = torch.nn.functional.logsigmoid(margins)
            """,
        setup="""
            import torch

            margins = torch.tensor([-200.0, 3.0])
            """,
        harm=_not_finite,
    ),
]

SILENT = [
    """
    import torch

    chances = torch.randn(4, 3).softmax(dim=1)
    logs = (chances + 1e-8).log()  # kept away from 0
    clamped = chances.clamp(min=1e-8).log()
    """,
]

STABLE = {"softmax": "F.log_softmax", "sigmoid": "F.logsigmoid"}


def check(scope: Reading) -> Iterator[Flag]:
    for log in scope.calls_to("log"):
        source = log["input"] or log["self"]
        made = source.made_only_by(*STABLE) if source is not None else None
        if made is not None:
            yield log.flag(
                f"is -inf where the {made.op} underflows to 0: `{STABLE[made.op]}` cannot",
                ((made.at, f"the {made.op}"),),
            )
