"""An einsum sums the weights of a softmax on their own, and mixes nothing.

A letter that stands in one operand alone, and not in the result, is summed before anything else. In
`"bhqk,bhqd->bhqd"` that is `k`, along which the weights sum to 1: what comes out are the values as they were,
times 1. The values need the letter too: `"bhqk,bhkd->bhqd"`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.einsum.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import summed_alone

CODE, LEVEL, LESSON = "TW352", WARNING, "02-tensors/operations#einsum"

EXAMPLES = [
    Example(
        bad="""
            weights = scores.softmax(dim=-1)
            mixed = torch.einsum("bqk,bqd->bqd", weights, values)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sums `weights` along `k` on their own, to 1
            """,
        good="""
            weights = scores.softmax(dim=-1)
            mixed = torch.einsum("bqk,bkd->bqd", weights, values)
            """,
        setup="""
            import torch

            torch.manual_seed(0)
            scores, values = torch.randn(2, 5, 5), torch.randn(2, 5, 4)
            """,
        harm=lambda bad, good: (
            bad["mixed"].allclose(bad["values"])  # type: ignore[attr-defined]
            and not good["mixed"].allclose(good["values"])  # type: ignore[attr-defined]
        ),
    ),
]

SILENT = [
    """
    import torch

    scores, values = torch.randn(2, 5, 5), torch.randn(2, 5, 4)
    weights = scores.softmax(dim=1)
    received = torch.einsum("bqk,bqd->bqd", weights, values)  # the sum along k is no 1
    whole = torch.einsum("bqk->bq", scores.softmax(dim=-1))  # to see that it is 1
    gates = scores.sigmoid()
    gated = torch.einsum("bqk,bqd->bqd", gates, values)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("einsum"):
        equation = call["equation"].constant if call["equation"] is not None else None
        if not isinstance(equation, str):
            continue
        for number in range(equation.count(",") + 1):
            ref = call.positional(number + 1)
            softmax = scope.call_of(ref)
            dim = softmax["dim"] if softmax is not None and softmax.op == "softmax" else None
            letter = summed_alone(equation, number, dim.constant) if dim is not None else ""
            if letter:
                words = f"sums `{scope.text(ref)}` along `{letter}` on their own, to 1"
                yield call.flag(f"{words}: nothing is mixed")
