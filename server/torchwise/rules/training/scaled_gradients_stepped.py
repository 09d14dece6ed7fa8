"""An optimizer steps on gradients that are still multiplied by the scale of a GradScaler.

`scaler.scale(loss).backward()` gives gradients some 65,000 times too large. `scaler.step(optimizer)` divides them first, and
leaves the step out where one is infinite; `optimizer.step()` does neither. `scaler.update()` then raises, because it has seen
no step.

Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html#typical-mixed-precision-training
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW136", WARNING, "07-training/precision#the-order-of-a-step"

EXAMPLES = [
    Example(
        bad="""
            loss = head(torch.ones(2, 4)).mean()
            scaler.scale(loss).backward()
            optimizer.step()
            ^^^^^^^^^^^^^^^^ uses gradients that are still scaled
            """,
        good="""
            loss = head(torch.ones(2, 4)).mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            scaler = torch.amp.GradScaler("cpu")
            """,
        harm=lambda bad, good: bad["head"].weight.abs().max() > 1000 > good["head"].weight.abs().max(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(head(torch.ones(2, 4)).mean()).backward()
    with torch.no_grad():
        for weight in head.parameters():
            weight.grad.mul_(1 / scaler.get_scale())  # unscaled by hand
    optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.happenings("step-on-scaled"):
        call = scope.call_made(step.ref)
        optimizer = step.callee.removesuffix(".step")
        scale = scope.call_at(step.because[0])
        scaler = scale.name.removesuffix(".scale") if scale is not None else ""
        plain = call is not None and call.text == f"{optimizer}.step()" and scaler.isidentifier()
        yield step.flag(
            "uses gradients that are still scaled: `step` of the scaler divides them first",
            because=((step.because[0], "scaled here"),),
            fix=replace_with(step.at, f"{scaler}.step({optimizer})", "Step by the scaler") if plain else None,
        )
