"""What `detach` gives is written to, and the tensor that it was taken of is used again.

`detach` gives a view: it shares the numbers, and only the graph is left behind. A mask or a rounding that is written into
it changes the model's own output, and the loss that is computed of that. `.detach().clone()` is a copy.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW219", WARNING, "03-autograd/control#detaching-one-value"

EXAMPLES = [
    Example(
        bad="""
            scores = head(torch.ones(2, 4))
            labels = scores.detach()
                     ^^^^^^^^^^^^^^^ shares its memory with `scores`
            labels[:] = 1.0
            loss = F.mse_loss(scores, torch.zeros(2, 1))
            """,
        good="""
            scores = head(torch.ones(2, 4))
            labels = scores.detach().clone()
            labels[:] = 1.0
            loss = F.mse_loss(scores, torch.zeros(2, 1))
            """,
        setup="""
            import torch
            import torch.nn.functional as F
            from torch import nn

            head = nn.Linear(4, 1)
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
            """,
        harm=lambda bad, good: bad["loss"].item() == 1.0 and good["loss"].item() == 0.0,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    weight = torch.zeros(2, requires_grad=True)
    weight.detach().add_(1)  # written to on purpose
    total = weight.sum()
    """,
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    scores = head(torch.ones(2, 4))
    scores = scores.detach()  # the other is gone
    scores[:] = 1.0
    print(scores)
    """,
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    scores = head(torch.ones(2, 4))
    scores.sum().backward()
    shown = scores.detach()
    shown[:] = 1.0  # nobody looks at the other any more
    print(shown)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for taken in scope.calls_to("detach"):
        source, names = taken["self"] or taken["input"], scope.names_of(taken.ref)
        if source is None or not names or source.text in names or not source.is_result:
            continue
        write = next((c for c in scope.calls() if c.ref > taken.ref and _writes(c, taken, names)), None)
        later = _used_after(scope, write, source) if write is not None else None
        if write is not None and later is not None:
            yield taken.flag(
                f"shares its memory with `{source.text}`, which is used after this has been written to",
                because=((write.at, "written here"), (later.at, f"`{source.text}` is used here")),
                fix=append_to(taken.at, ".clone()", "Copy it"),
            )


def _writes(call: Call, taken: Call, names: list[str]) -> bool:
    """Whether a call writes to what was detached, under its own name and in the same turn."""
    target = call.written
    made = target.made_only_by("detach") if target is not None and target.text in names else None
    return made is not None and made.ref == taken.ref and call.loops == taken.loops


def _used_after(scope: Reading, write: Call, source: Operand) -> Call | None:
    calls = (c for c in scope.calls() if c.ref > write.ref and c.loops == write.loops and c.written is None)
    return next((c for c in calls if any(o.is_same(source) and o.ref is not None for o in c.operands)), None)
