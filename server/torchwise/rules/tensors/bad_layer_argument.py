"""A layer or an operator is asked for something that it can never do.

Groups must divide the channels, heads the embedding; `padding="same"` goes with a stride of 1 only; a probability lies between 0
and 1; `torch.stack` needs at least one tensor. No input makes such a call right.

Source: https://docs.pytorch.org/docs/stable/nn.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW304", ERROR, "04-neural-networks/layers#groups-and-depthwise-convolution"

EXAMPLES = [
    Example(
        bad="""
            attention = nn.MultiheadAttention(embed_dim=100, num_heads=8)
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `num_heads` is 8, which does not go with `embed_dim` 100
            """,
        good="""
            attention = nn.MultiheadAttention(embed_dim=96, num_heads=8)
            """,
        setup="""
            from torch import nn
            """,
        harm=AssertionError,
    ),
]

SILENT = [
    """
    from torch import nn

    def block(channels, groups):
        return nn.Conv2d(channels, channels, 3, groups=groups)  # may divide
    """,
]

ELSEWHERE = ("pack_padded_sequence", "backward", "step")  # rules of their own


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("argument"):
        if (
            call.op in ELSEWHERE
            or call.tagged("optimizer")
            or call.spelling.startswith(("torch.optim.", "torch.utils."))
        ):
            continue
        for broken in call.breaks("argument"):
            if broken.got == "none" and broken.param == "tensors":
                continue  # a list that is filled somewhere else
            if call.on_layer and broken.param != "input":
                continue  # said where the layer is made
            if broken.message:
                yield call.flag(broken.message)
            elif broken.axis and not broken.axis.lstrip("-").isdigit():
                yield call.flag(
                    f"`{broken.param}` is {broken.got}, which does not go with "
                    f"`{broken.axis}` {broken.wanted}"
                )
            else:
                yield call.flag(f"`{broken.param}` is {broken.got}: it must be {broken.wanted}")
            break
