"""Probabilities or other fractions are written into a tensor of whole numbers, which cuts them off.

`torch.zeros_like(labels)` has the dtype of the labels. Written into it, a probability of 0.97 becomes 0,
without a word. Ask for the dtype: `torch.zeros_like(labels, dtype=torch.float32)`, or `torch.zeros(n)`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.zeros_like.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW351", WARNING, "02-tensors/making#dtypes"

EXAMPLES = [
    Example(
        bad="""
            kept = torch.zeros_like(labels)
            kept[:] = scores.softmax(dim=1)[:, 1]
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^ is cut off to whole numbers: `kept` is int64
            """,
        good="""
            kept = torch.zeros_like(labels, dtype=torch.float32)
            kept[:] = scores.softmax(dim=1)[:, 1]
            """,
        setup="""
            import torch

            torch.manual_seed(0)
            labels, scores = torch.tensor([1, 0, 1]), torch.randn(3, 2)
            """,
        harm=lambda bad, good: not bad["kept"].any() and good["kept"].all(),  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            weights = torch.ones_like(labels)
            weights[labels == 0] = 0.25
                                   ^^^^ is cut off to whole numbers: `weights` is int64
            """,
        good="""
            weights = torch.ones(len(labels))
            weights[labels == 0] = 0.25
            """,
        setup="""
            import torch

            labels = torch.tensor([1, 0, 1])
            """,
        harm=lambda bad, good: bad["weights"][1] == 0 and good["weights"][1] == 0.25,  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch

    scores, labels = torch.randn(3, 2), torch.tensor([1, 0, 1])
    kept = torch.zeros_like(labels)
    kept[:] = scores.softmax(dim=1).round()[:, 1]  # whole already
    kept[0] = 2.0
    kept[:] = (scores > 0).float().sum(1)
    kept[:] = scores.softmax(dim=1)[:, 1] > 0.5
    kept[:] = scores.sigmoid().mul(255)[:, 0]  # levels of grey: cut off on purpose, perhaps
    """,
]

FRACTIONS = ("probabilities", "sigmoid", "log-probabilities", "log-sigmoid")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("setitem", "fill_", "copy_"):
        target, value = call["self"] or call["input"], call["value"] or call["src"] or call["other"]
        if target is None or value is None or target.tensor is None or value.ref is None:
            continue
        number = value.constant
        cut = isinstance(number, float) and number != number // 1 and abs(number) < float("inf")
        if target.tensor.dtype in INTEGERS and (cut or value.nature in FRACTIONS):
            yield value.flag(f"is cut off to whole numbers: {target.quoted} is {target.tensor.dtype}")
