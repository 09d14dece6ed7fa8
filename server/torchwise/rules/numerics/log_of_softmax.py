"""The logarithm of a softmax or sigmoid is taken in two steps.

Softmax rounds small probabilities to 0, and the logarithm of 0 is -inf: losses become inf, and gradients NaN.
`log_softmax` and `logsigmoid` work both out in one step, and stay finite.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, replace_with
from torchwise.rules.vocabulary import HINT, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW712", HINT, "02-tensors/operations#functions-and-their-safe-forms"
ONE_STEP = {"probabilities": "log_softmax", "sigmoid": "logsigmoid"}

EXAMPLES = [
    Example(
        bad="""
            log_probs = torch.log(torch.softmax(scores, dim=1))
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is -inf where a probability is rounded to 0
            """,
        good="""
            log_probs = torch.log_softmax(scores, dim=1)
            """,
        setup="""
            import torch

            scores = torch.tensor([[0.0, 200.0]])
            """,
        harm=lambda bad, good: bad["log_probs"].isinf().any() and good["log_probs"].isfinite().all(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    def entropy(scores):
        probs = scores.softmax(dim=-1)
        return -(probs * (probs + 1e-8).log()).sum(dim=-1)  # kept away from 0
    """,
    """
    import torch

    def clamped(scores):
        return scores.sigmoid().clamp(min=1e-6).log()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for log in scope.calls_to("log"):
        probs = log["input"] or log["self"]
        better = ONE_STEP.get(probs.nature) if probs is not None else None
        made = probs.made_only_by("softmax", "sigmoid") if probs is not None else None
        guarded = probs is not None and probs.made_only_by("clamp", "clip", "clamp_min") is not None
        if better is not None and probs is not None and not guarded:
            yield log.flag(
                f"is -inf where a probability is rounded to 0: `{better}` takes the logarithm in the same step",
                because=tuple((site, "made here") for site in probs.origins[:1]),
                fix=_fixed(log, made, probs.text),
            )


def _fixed(log: Call, made: Call | None, inside: str) -> FixPlan | None:
    """Where a softmax stands in the logarithm itself."""
    if made is None or made.text != inside or made.op != "softmax" or "softmax(" not in inside:
        return None
    return replace_with(log.at, inside.replace("softmax(", "log_softmax(", 1), "Use `log_softmax`")
