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
    Example(
        bad="""
            anchor = [p.detach() for p in model.parameters()]
                      ^^^^^^^^^^ shares its memory with `p`
            optimizer.step()
            drift = sum((p - a).pow(2).sum() for p, a in zip(model.parameters(), anchor))
            """,
        good="""
            anchor = [p.detach().clone() for p in model.parameters()]
            optimizer.step()
            drift = sum((p - a).pow(2).sum() for p, a in zip(model.parameters(), anchor))
            """,
        setup="""
            import torch
            from torch import nn

            model = nn.Linear(4, 2)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model(torch.ones(3, 4)).sum().backward()
            """,
        harm=lambda bad, good: bad["drift"] == 0 and good["drift"] > 0,  # type: ignore[operator]
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
    """
    import torch
    from torch import nn

    chances = nn.Linear(4, 2)(torch.randn(3, 4)).log_softmax(-1)[:, 0]
    before = chances.detach()
    ratio = (chances - before).exp()  # 1, with the gradient of the chances
    ratio.mean().backward()
    """,
    """
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    anchor = [p.detach().clone() for p in model.parameters()]
    drift = sum((p - a).pow(2).sum() for p, a in zip(model.parameters(), anchor))
    """,
]

COMPARES = ("sub", "eq", "ne", "equal", "isclose")
VIEWS = (".detach()", ".data")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*COMPARES):
        one, other = call["input"], call["other"]
        if one is None or other is None or not one.shares_storage(other) or not one.same_place(other):
            continue
        if one.is_result or other.is_result:
            continue  # `(score - score.detach()).exp()`: a factor of 1 that has a gradient
        for kept in (other, one):
            taken = kept.taken_by(*VIEWS)
            if taken is not None and kept.text.isidentifier():
                text = scope.text_at(taken)
                fix = append_to(taken, ".clone()", "Copy it") if text.endswith("()") else None
                message = f"shares its memory with `{text.rpartition('.')[0]}`: it changes with it"
                yield Flag(taken, message, ((call.at, "here the two are always equal"),), fix)
                break
