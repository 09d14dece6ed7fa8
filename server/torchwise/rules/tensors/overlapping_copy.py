"""A part of a tensor is copied onto another part that overlaps it.

`buffer[:, 1:] = buffer[:, :-1]` reads and writes the same memory at once. What comes out depends on the
order in which elements are
copied: torch raises in some cases and silently gives wrong numbers in others. Copy first: `.clone()`, or
use `torch.roll`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.copy_.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW326", ERROR, "02-tensors/views#overlapping-reads-and-writes"


def _corrupt(bad: dict[str, object], good: dict[str, object]) -> bool:
    return not bad["frames"].equal(good["frames"])  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            frames[:, 1:] = frames[:, :-1]
                            ^^^^^^^^^^^^^^ overlaps what it is copied onto
            """,
        good="""
            frames[:, 1:] = frames[:, :-1].clone()
            """,
        setup="""
            import torch

            frames = torch.arange(24.0).reshape(3, 8)
            """,
        harm=_corrupt,
    ),
]

SILENT = [
    """
    import torch

    frames = torch.arange(24.0).reshape(3, 8)
    frames[:, :4] = frames[:, 4:]  # two halves that share nothing
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for store in scope.calls_to("setitem"):
        source = store["value"]
        read = source.made_only_by("getitem") if source is not None else None
        if source is None or read is None or not source.shares_storage(store["self"]):
            continue
        target, part, base = store["index"], read["index"], read["input"] or read["self"]
        if (
            target is None
            or part is None
            or base is None
            or store["self"] is None
            or base.text != store["self"].text
        ):
            continue
        if target.overlaps(part):
            yield source.flag(
                "overlaps what it is copied onto: elements may be overwritten before they are read",
                fix=append_to(source.at, ".clone()", "Copy it first"),
            )
