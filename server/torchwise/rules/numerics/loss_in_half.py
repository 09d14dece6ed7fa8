"""A softmax is worked out by hand in float16.

`exp` of anything above 11 is inf in float16, whose largest number is 65504, and inf / inf is NaN. `torch.softmax`
subtracts the largest score first; under autocast it is computed in float32 as well.

Source: https://docs.pytorch.org/docs/stable/amp.html#cuda-ops-that-can-autocast-to-float32
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW714", WARNING, "07-training/precision#sixteen-bits"
SMALL = {
    "sub",
    "neg",
    "max",
    "amax",
    "maximum",
    "minimum",
    "clamp",
    "clip",
    "abs",
    "log_softmax",
    "logsigmoid",
}

EXAMPLES = [
    Example(
        bad="""
            weights = torch.exp(scores)
                      ^^^^^^^^^^^^^^^^^ is inf above 11 in float16
            weights = weights / weights.sum(dim=1, keepdim=True)
            """,
        good="""
            weights = torch.softmax(scores, dim=1)
            """,
        setup="""
            import torch

            scores = torch.tensor([[1.0, 12.0]]).half()
            """,
        harm=lambda bad, good: bad["weights"].isnan().any() and good["weights"].isfinite().all(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    def weights(scores):
        scores = scores.half()
        grown = torch.exp(scores - scores.amax(dim=1, keepdim=True))  # at most 1
        return grown / grown.sum(dim=1, keepdim=True)
    """,
    """
    import torch

    def weights(features, table):
        with torch.autocast("cuda"):
            scores = features @ table
            grown = scores.exp()  # in float32
            return grown / grown.sum(dim=1, keepdim=True)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for quotient in scope.calls_to("div"):
        above, below = quotient["input"], quotient["other"]
        total = below.made_only_by("sum") if below is not None else None
        terms = (total["input"] or total["self"]) if total is not None else None
        grown = above.made_only_by("exp") if above is not None else None
        if grown is None or terms is None or terms.made_only_by("exp") is None:
            continue
        power = grown["input"] or grown["self"]
        half = power is not None and power.tensor is not None and power.tensor.dtype == "float16"
        if power is None or not half or not grown.makes_tensor_of("float16"):
            continue
        if power.made_only_by(*SMALL) is None and not power.operators & SMALL:
            yield grown.flag(
                "is inf above 11 in float16, and the quotient NaN: `softmax` subtracts the largest first",
                because=((quotient.at, "divided here"),),
            )
