"""A value is compared with a snapshot that shares its memory.

`before = weight.detach()` (or `.data`) is no copy: when the optimizer changes the weight in place,
`before` changes too, and the difference is
always 0. Take `weight.detach().clone()`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW333", WARNING, "02-tensors/views#in-place-operations"


def _never_moved(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bad["moved"].sum() == 0 and good["moved"].sum() != 0  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            before = weight.detach()
                     ^^^^^^^^^^^^^^^ shares its memory with `weight`
            with torch.no_grad():
                weight += 0.5
            moved = weight.detach() - before
            """,
        good="""
            before = weight.detach().clone()
            with torch.no_grad():
                weight += 0.5
            moved = weight.detach() - before
            """,
        setup="""
            import torch

            weight = torch.ones(3, requires_grad=True)
            """,
        harm=_never_moved,
    ),
]

SILENT = [
    """
    import torch

    steps = torch.randn(5, 3)
    change = steps[1:] - steps[:-1]  # other parts of one memory
    quantised = torch.round(steps)
    passed = steps + (quantised - steps).detach()
    """,
]

COMPARES = ("sub", "eq", "ne", "equal", "isclose")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*COMPARES):
        one, other = call["input"], call["other"]
        if one is None or other is None or not one.shares_storage(other) or not one.same_place(other):
            continue
        for kept in (other, one):
            source = kept.made_only_by("detach", "data")
            if (
                source is not None
                and kept.text.isidentifier()
                and (of := source["input"] or source["self"]) is not None
            ):
                fix = append_to(source.at, ".clone()", "Copy it") if source.op == "detach" else None
                because = ((call.at, "here the two are always equal"),)
                yield source.flag(f"shares its memory with `{of.text}`: it changes with it", because, fix=fix)
                break
