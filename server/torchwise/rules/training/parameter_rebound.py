"""A loop over parameters gives its variable a new value, and the parameters stay what they were.

`p = p - rate * p.grad` makes a new tensor and a new meaning of the name `p`; the model keeps the old one. Change the
parameter itself, in place and without autograd: `p.sub_(rate * p.grad)`, `p.copy_(...)`.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW140", WARNING, "05-optimizers/optimizers#one-step-by-hand"

EXAMPLES = [
    Example(
        bad="""
            head(torch.ones(2, 4)).sum().backward()
            with torch.no_grad():
                for weight in head.parameters():
                    weight = weight - 0.1 * weight.grad
                             ^^^^^^^^^^^^^^^^^^^^^^^^^^ changes no parameter
            """,
        good="""
            head(torch.ones(2, 4)).sum().backward()
            with torch.no_grad():
                for weight in head.parameters():
                    weight -= 0.1 * weight.grad
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            before = head.weight.detach().clone()
            """,
        harm=lambda bad, good: (
            bad["head"].weight.equal(bad["before"]) and not good["head"].weight.equal(good["before"])
        ),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    def norm_of(head):
        total = 0.0
        for weight in head.parameters():
            weight = weight.detach() * 2
            total += weight.pow(2).sum().item()  # it is used
        return total

    norm_of(nn.Linear(4, 1))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for value, name in scope.lost_items():
        inside = scope.expression(value)
        of = [o for c in scope.calls() if c.ref in inside for o in c.operands]
        made = scope.call_made(value)
        if made is not None and not made.written and any(o.is_parameter and o.text == name for o in of):
            yield scope.flag(
                value,
                f"changes no parameter: it gives the name `{name}` another meaning, and nothing reads it",
            )
