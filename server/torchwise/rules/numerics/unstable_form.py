"""An exponential is taken, and the logarithm of what came of it, in two steps.

`exp` of anything above 88 is inf in float32, and below -103 it is 0; the logarithm gives inf, -inf or NaN then, though
the result would be an ordinary number. `softplus` and `logsumexp` work both out in one step.

Source: https://docs.pytorch.org/docs/stable/generated/torch.logsumexp.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, replace_with
from torchwise.rules.vocabulary import HINT, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW713", HINT, "02-tensors/operations#functions-and-their-safe-forms"
BOUNDED = {"max", "amax", "maximum", "minimum", "clamp", "clip", "abs", "neg", "logsumexp", "logsigmoid"}

EXAMPLES = [
    Example(
        bad="""
            smooth = torch.log(1 + torch.exp(scores))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is inf where `exp` overflows
            """,
        good="""
            smooth = torch.nn.functional.softplus(scores)
            """,
        setup="""
            import torch

            scores = torch.tensor([0.0, 200.0])
            """,
        harm=lambda bad, good: bad["smooth"].isinf().any() and good["smooth"].isfinite().all(),  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            total = torch.log(torch.exp(scores).sum(dim=1))
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is inf where `exp` overflows
            """,
        good="""
            total = torch.logsumexp(scores, dim=1)
            """,
        setup="""
            import torch

            scores = torch.tensor([[0.0, 200.0]])
            """,
        harm=lambda bad, good: bad["total"].isinf().any() and good["total"].isfinite().all(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    def total(scores):
        top = scores.amax(dim=1, keepdim=True)
        return torch.log(torch.exp(scores - top).sum(dim=1)) + top.squeeze(1)  # at most 0
    """,
    """
    import torch

    def smooth(scores):
        return scores.clamp(min=0) + torch.log(1 + torch.exp(-scores.abs()))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for log in scope.calls_to("log", "log1p"):
        inside = log["input"] or log["self"]
        if inside is None:
            continue
        total = inside.made_only_by("sum") if log.op == "log" else None
        if total is not None and (terms := total["input"] or total["self"]) is not None:
            grown, better = _exponential(terms), "logsumexp"
        else:
            grown, better = _exponential(inside if log.op == "log1p" else _beside_one(inside)), "softplus"
        if grown is not None:
            yield log.flag(
                f"is inf where `exp` overflows: `{better}` takes both steps in one",
                because=((grown.at, "taken here"),),
                fix=_fixed(log, grown, total),
            )


def _beside_one(inside: Operand) -> Operand | None:
    added = inside.made_only_by("add")
    sides = [added["input"], added["other"]] if added is not None else []
    rest = [side for side in sides if side is not None and side.constant not in (1, 1.0)]
    return rest[0] if len(sides) == 2 and len(rest) == 1 else None


def _exponential(terms: Operand | None) -> Call | None:
    """The `exp` that they are, of something that is not kept small."""
    grown = terms.made_only_by("exp") if terms is not None else None
    power = (grown["input"] or grown["self"]) if grown is not None else None
    kept_small = power is None or power.made_only_by("sub", "neg", *BOUNDED) is not None
    return None if kept_small or power is None or power.operators & BOUNDED else grown


def _fixed(log: Call, grown: Call, total: Call | None) -> FixPlan | None:
    """Where all stands in one expression of torch functions."""
    power, dim = grown["input"] or grown["self"], total["dim"] if total is not None else None
    if power is None or grown.text not in log.text or not grown.text.startswith("torch.exp("):
        return None
    if total is None:
        return replace_with(log.at, f"torch.nn.functional.softplus({power.text})", "Use `softplus`")
    plain = dim is not None and total.text == f"{grown.text}.sum(dim={dim.text})" and total.text in log.text
    text = f"torch.logsumexp({power.text}, dim={dim.text})" if dim is not None else ""
    return replace_with(log.at, text, "Use `logsumexp`") if plain else None
