"""An optimizer adds an `eps` to float16 numbers, in which it is nothing.

Adam and its kin divide by a root of mean squares, plus `eps` so that it is never 0. The smallest float16 number is 6e-8:
the default `eps` of 1e-8 is rounded to 0, small gradients squared are too, and 0/0 makes the weights NaN. Keep the weights
in float32 (autocast computes in half precision all the same), or give an `eps` that float16 has, such as 1e-4.

Source: https://github.com/pytorch/pytorch/issues/147437
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW711", WARNING, "05-optimizers/optimizers#adam"

EXAMPLES = [
    Example(
        bad="""
            optimizer = torch.optim.Adam(table.parameters(), lr=0.01)
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `eps` of 1e-08 is 0 in float16
            table(rows).sum().backward()
            optimizer.step()
            """,
        good="""
            optimizer = torch.optim.Adam(table.parameters(), lr=0.01, eps=1e-4)
            table(rows).sum().backward()
            optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            table, rows = nn.Embedding(8, 4).half(), torch.tensor([1, 2])
            """,
        harm=lambda bad, good: bad["table"].weight.isnan().any() and not good["table"].weight.isnan().any(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 2)  # weights in float32, computed with in float16
    optimizer = torch.optim.Adam(head.parameters())
    scaler = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda", dtype=torch.float16):
        loss = head(torch.ones(2, 4)).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.happenings("eps-underflows"):
        made = step.because[0]
        text = scope.text_at(made)
        given = "eps" in text or "*" in text or not text.endswith(")")
        yield Flag(
            made,
            f"its `eps` of {step.detail} is 0 in float16, in which the weights are: 0/0 makes them NaN",
            because=((step.at, "stepped here"),),
            fix=None
            if given
            else replace_with(made, f"{text[:-1].rstrip(', ')}, eps=1e-4)", "Give a larger `eps`", False),
        )
