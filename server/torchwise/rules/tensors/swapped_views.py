"""Two parts of a tensor are swapped as if reading them had copied them.

`rows[i], rows[j] = rows[j], rows[i]` works for lists, whose elements are objects. `rows[i]` of a tensor is a view: it shows
the memory, so that the second assignment reads what the first has just written, and one of the rows is there twice. The
same goes for `kept = rows[i]` in between. A list of indices copies: `rows[[i, j]] = rows[[j, i]]`; so does `.clone()`.

Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW345", WARNING, "02-tensors/views#overlapping-reads-and-writes"


def _one_is_lost(bad: dict[str, object], good: dict[str, object]) -> bool:
    kept = [sorted(ns["rows"][:, 0].tolist()) for ns in (bad, good)]  # type: ignore[index]
    return kept == [[1.0, 1.0, 2.0], [0.0, 1.0, 2.0]]


EXAMPLES = [
    Example(
        bad="""
            rows[0], rows[1] = rows[1], rows[0]
                                        ^^^^^^^ shows what `rows[0]` has become
            """,
        good="""
            rows[0], rows[1] = rows[1], rows[0].clone()
            """,
        setup="""
            import torch

            rows = torch.arange(3.0).repeat(2, 1).t().contiguous()
            """,
        harm=_one_is_lost,
    ),
    Example(
        bad="""
            kept = rows[0]
                   ^^^^^^^ shows what `rows[0]` has become
            rows[0] = rows[1]
            rows[1] = kept
            """,
        good="""
            kept = rows[0].clone()
            rows[0] = rows[1]
            rows[1] = kept
            """,
        setup="""
            import torch

            rows = torch.arange(3.0).repeat(2, 1).t().contiguous()
            """,
        harm=_one_is_lost,
    ),
]

SILENT = [
    """
    import torch

    rows = torch.randn(3, 2)
    rows[[0, 1]] = rows[[1, 0]]  # a list of indices copies
    states = [torch.zeros(2), torch.ones(2)]
    states[0], states[1] = states[1], states[0]  # a list of tensors
    """,
    """
    import torch

    def move(rows: torch.Tensor, first: torch.Tensor, second: torch.Tensor):
        rows[first], rows[second] = rows[second], rows[first]  # tensors of indices

    rows = torch.randn(3, 2)
    move(rows, torch.tensor([0]), torch.tensor([1]))
    numbers = [3, 4]
    numbers[0], numbers[1] = numbers[1], numbers[0]
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    stores = scope.calls_to("setitem")
    for last in stores:
        value, target = last["value"], last["self"]
        read = value.made_only_by("getitem") if value is not None else None
        if value is None or target is None or read is None or not value.shares_storage(target):
            continue
        written = next((first for first in stores if _between(read, first, last)), None)
        if written is not None:
            place = f"{target.text}[{_index(read).text}]"
            yield read.flag(
                f"shows what `{place}` has become when it is copied: a view is no copy",
                because=((written.at, "written here"), (last.at, "and copied here")),
                fix=append_to(read.at, ".clone()", "Copy it"),
            )


def _between(read: Call, first: Call, last: Call) -> bool:
    """Whether what has been read is written before it is copied, and copied to another place."""
    bases = {base.text for base in (read["input"] or read["self"], first["self"], last["self"]) if base}
    places = [_index(call).text for call in (read, first, last)]
    in_order = read.ref < first.ref < last.ref and read.loops == first.loops == last.loops
    return in_order and len(bases) == 1 and places[0] == places[1] != places[2]


def _index(call: Call) -> Operand:
    index = call["index"]
    assert index is not None, "an item has an index"
    return index
