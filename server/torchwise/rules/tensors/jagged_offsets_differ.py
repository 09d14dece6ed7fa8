"""Two nested tensors that were built one by one are combined.

With the jagged layout each call of `nested_tensor` makes offsets of its own, and torch takes two nested
tensors for different shapes even where all lengths agree: it raises RuntimeError. Build the second one on
the first one's offsets: `torch.nested.nested_tensor_from_jagged(values, offsets=first.offsets())`.

Source: https://docs.pytorch.org/docs/stable/nested.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW390", ERROR, "15-utilities/ragged-batches#nested-tensors"

EXAMPLES = [
    Example(
        bad="""
            first = torch.nested.nested_tensor(rows, layout=torch.jagged)
            second = torch.nested.nested_tensor(rows, layout=torch.jagged)
            total = first + second
                    ^^^^^^^^^^^^^^ has offsets of its own
            """,
        good="""
            first = torch.nested.nested_tensor(rows, layout=torch.jagged)
            second = torch.nested.nested_tensor_from_jagged(torch.cat(rows), offsets=first.offsets())
            total = first + second
            """,
        setup="import torch\n\nrows = [torch.ones(2, 3), torch.ones(4, 3)]",
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    rows = [torch.ones(2, 3), torch.ones(4, 3)]
    nested = torch.nested.nested_tensor(rows, layout=torch.jagged)
    total = nested + torch.relu(nested) * 2
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("offsets"):
        for broken in call.breaks("offsets"):
            second = call[broken.param]
            if second is not None:
                yield call.flag(
                    f"`{second.text}` has offsets of its own: torch takes it for another shape, and raises",
                    because=scope.made(broken.because, "the other nested tensor"),
                )
