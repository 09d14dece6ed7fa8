"""Rounded values go into a layer, and nothing before the rounding learns.

`round`, `floor`, `ceil` and `sign` are steps: their derivative is 0, so that autograd hands back zeros, without a word, to all
that the rounded values were computed of. A straight-through estimator rounds on the way in and lets gradients pass on the
way back: `z + (z.round() - z).detach()`. Adding noise in training is another way.

Source: https://docs.pytorch.org/docs/stable/generated/torch.round.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW223", WARNING, "03-autograd/graph#backward"


def _nothing_arrives(bad: dict[str, object], good: dict[str, object]) -> bool:
    found = [ns["encoder"].weight.grad.abs().sum().item() for ns in (bad, good)]  # type: ignore[attr-defined]
    return found[0] == 0.0 and found[1] > 0.0


EXAMPLES = [
    Example(
        bad="""
            codes = encoder(rows)
            steps = torch.round(codes / 0.25) * 0.25
                    ^^^^^^^^^^^^^^^^^^^^^^^^^ has a gradient of 0
            loss = (decoder(steps) - rows).square().mean()
            loss.backward()
            """,
        good="""
            codes = encoder(rows)
            steps = codes + (torch.round(codes / 0.25) * 0.25 - codes).detach()
            loss = (decoder(steps) - rows).square().mean()
            loss.backward()
            """,
        setup="""
            import torch
            from torch import nn

            torch.manual_seed(0)
            encoder, decoder, rows = nn.Linear(6, 3), nn.Linear(3, 6), torch.randn(8, 6)
            """,
        harm=_nothing_arrives,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model, rows = nn.Linear(6, 1), torch.randn(8, 6)
    predicted = torch.sigmoid(model(rows)).round()  # only counted
    accuracy = (predicted == 1).float().mean()
    """,
    """
    import torch
    from torch import nn

    encoder, decoder, rows = nn.Linear(6, 3), nn.Linear(3, 6), torch.randn(8, 6)
    steps = torch.round(encoder(rows)).detach()  # the encoder is not to learn here
    decoded = decoder(steps)
    with torch.no_grad():
        shown = decoder(encoder(rows).round())
    """,
    """
    import torch
    from torch import nn

    encoder, decoder, rows = nn.Linear(6, 3), nn.Linear(3, 6), torch.randn(8, 6)
    codes = encoder(rows)
    both = decoder(codes + 0.1 * codes.round())  # another way round the step
    """,
]

LAYERS = (
    "linear", "bilinear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "matmul", "lstm", "gru",
)  # fmt: skip
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "cross_entropy")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*LAYERS):
        yield from _flags(call["input"], call, "goes into a layer here")
    for backward in scope.calls_to("backward"):
        root = backward["self"] or backward["tensors"]
        loss = root.made_only_by(*LOSSES) if root is not None else None
        if loss is not None:
            yield from _flags(loss["input"], loss, "compared here, and differentiated")


def _flags(taken: Operand | None, call: Call, words: str) -> Iterator[Flag]:
    made = taken.made_by_nature if taken is not None and taken.nature == "rounded" else None
    if made is not None and taken is not None and taken.needs_grad:
        yield Flag(
            made,
            "has a gradient of 0: nothing before it learns. `z + (z.round() - z).detach()` lets gradients pass",
            because=((call.at, words),),
        )
