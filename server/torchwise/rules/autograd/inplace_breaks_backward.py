"""A value that autograd has kept for the backward pass is changed in place before it.

Many operators keep their input or their result to compute gradients from it: `exp`, `sigmoid`, `tanh`,
`relu`, `softmax`
and `sqrt` their result, `mul`, `matmul`, `pow` and `log` an input. If its storage is written before
`backward` runs
(directly, through a view, or by `optimizer.step()`), torch raises. What an operator keeps is read from
torch's own table
of derivatives: `add`, `sum`, `neg` or a product with a number keep nothing.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
"""

from collections.abc import Iterator

from torchwise.fixes.edits import rewrite
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW201", ERROR, "03-autograd/control#in-place-and-the-version-counter"

EXAMPLES = [
    Example(
        bad="""
            gate = torch.sigmoid(scores)
            gate += 1
            ^^^^^^^^^ changes in place what `torch.sigmoid(scores)` has kept for backward
            gate.sum().backward()
            """,
        good="""
            gate = torch.sigmoid(scores)
            gate = gate + 1
            gate.sum().backward()
            """,
        setup="""
            import torch

            scores = torch.randn(4, requires_grad=True)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    scores = torch.randn(4, requires_grad=True)
    shifted = scores * 2
    shifted += 1  # a product with a number keeps nothing
    shifted.sum().backward()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.happenings("saved-changed"):
        kept, *written = backward.because
        if written and scope.writes_unseen(written[0]):
            continue  # torch does not notice
        operator, _, what = backward.detail.partition(":")
        maker = scope.text_at(kept)
        shown = f"`{maker}`" if maker and len(maker) < 60 else f"`{operator}`"
        kind = "its result" if what == "result" else f"its {what}"
        if written:
            yield Flag(
                written[0],
                f"changes in place what {shown} has kept for backward ({kind})",
                because=((kept, "kept here"), (backward.at, "this backward needs it as it was")),
                part="statement",
                fix=rewrite(written[0], "out-of-place", "Make a new tensor instead"),
            )
        else:
            yield backward.flag(
                f"needs what {shown} has kept ({kind}) as it was, but it has been changed in place since",
                because=((kept, "kept here"),),
            )
