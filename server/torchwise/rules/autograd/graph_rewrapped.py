"""`torch.tensor` wraps values that have a graph, and the loss made of them is a constant.

`torch.tensor([loss_a, loss_b])` copies numbers: the gradients end there, without a word. `torch.stack`
keeps the graph.

Source: https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW210", WARNING, "03-autograd/graph#backward"


def _part_is_lost(bad: dict[str, object], good: dict[str, object]) -> bool:
    """The gradient of one of the terms is missing."""
    return not bad["model"].weight.grad.equal(good["model"].weight.grad)  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            extra = torch.tensor([model(points).abs().mean(), model(points).var()]).sum()
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ cuts off the graph
            loss = model(points).mean() + extra
            loss.backward()
            """,
        good="""
            extra = torch.stack([model(points).abs().mean(), model(points).var()]).sum()
            loss = model(points).mean() + extra
            loss.backward()
            """,
        setup="""
            import torch
            from torch import nn

            torch.manual_seed(0)
            model, points = nn.Linear(3, 1), torch.randn(5, 3)
            """,
        harm=_part_is_lost,
    ),
    Example(
        bad="""
            errors = [model(point).abs().sum() for point in points]
            torch.tensor(errors, requires_grad=True).mean().backward()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ makes a new leaf of `errors`
            """,
        good="""
            errors = [model(point).abs().sum() for point in points]
            torch.stack(errors).mean().backward()
            """,
        setup="""
            import torch
            from torch import nn

            torch.manual_seed(0)
            model, points = nn.Linear(3, 1), torch.randn(5, 3)
            """,
        harm=lambda bad, good: bad["model"].weight.grad is None and good["model"].weight.grad is not None,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model, points = nn.Linear(3, 1), torch.randn(5, 3)
    start = torch.tensor([0.1, 0.2], requires_grad=True)
    curve = torch.tensor([model(p).sum().item() for p in points], requires_grad=True)  # of numbers
    """,
    """
    import torch
    from torch import nn

    model, points = nn.Linear(3, 1), torch.randn(5, 3)
    shown = torch.tensor([model(points).mean(), model(points).var()])  # only looked at
    print(shown)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.constant_terms("rewrapped"):
        text = scope.text_at(call.maker)
        listed = text.startswith("torch.tensor([")
        fix = (
            replace_with(call.maker, "torch.stack" + text.removeprefix("torch.tensor"), "Use `torch.stack`")
            if listed
            else None
        )
        yield Flag(
            call.maker,
            "cuts off the graph of what it wraps: the term made of it changes no weight",
            because=((call.at, "added to a loss here, as a constant"),),
            fix=fix,
        )
    for made in scope.calls_to("torch.tensor"):
        wants, data = made["requires_grad"], made["data"]
        asked = wants is not None and wants.constant is True
        if asked and data is not None and made.result_nature == "rewrapped":
            yield made.flag(f"makes a new leaf of `{data.text}`: gradients end here, and go no further")
