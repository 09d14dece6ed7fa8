"""A mean, deviation, norm or softmax is taken of integers or bools.

These need floating point and raise for integer tensors. An accuracy written as `(predicted ==
labels).mean()` is the usual case:
a comparison gives bools.

Source: https://docs.pytorch.org/docs/stable/generated/torch.mean.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW307", ERROR, "02-tensors/operations#the-usual-reductions"

EXAMPLES = [
    Example(
        bad="""
            accuracy = (scores.argmax(dim=1) == labels).mean()
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is bool
            """,
        good="""
            accuracy = (scores.argmax(dim=1) == labels).float().mean()
            """,
        setup="""
            import torch

            scores, labels = torch.randn(6, 3), torch.randint(0, 3, (6,))
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    counts = torch.randint(0, 9, (5,))
    average = counts.mean(dtype=torch.float32)  # converted first
    """,
]

AVERAGES = (
    "mean", "std", "var", "var_mean", "std_mean", "softmax", "log_softmax", "norm", "vector_norm", "logsumexp", "quantile",
    "nanmean", "median_mean", "nanquantile", "normalize",
)  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("dtype"):
        source = call["input"] or call["self"]
        if call.op not in AVERAGES or source is None:
            continue
        for broken in call.breaks("dtype"):
            name = source.text
            fix = None
            if call.text.startswith(f"{name}."):
                fix = replace_with(source.at, f"{name}.float()", "Convert it to floating point first")
            yield call.flag(f"{source.quoted} is {broken.got}: `{call.op}` needs {broken.wanted}", fix=fix)
            break
