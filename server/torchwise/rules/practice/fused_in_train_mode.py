"""A convolution and its BatchNorm are fused while they are in train mode.

Fusing puts the running statistics into the weights, which is right in eval mode only: torch asserts it.
Call `eval()` on both first.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_eval.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW911", ERROR, "15-utilities/pruning-and-fusing#a-convolution-and-its-batch-norm"

EXAMPLES = [
    Example(
        bad="""
            fused = fuse_conv_bn_eval(conv, norm)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is in train mode
            """,
        good="""
            fused = fuse_conv_bn_eval(conv.eval(), norm.eval())
            """,
        setup="""
            from torch import nn
            from torch.nn.utils.fusion import fuse_conv_bn_eval

            conv, norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
            """,
        harm=AssertionError,
    ),
]

SILENT = [
    """
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    def fused(conv, norm):
        return fuse_conv_bn_eval(conv, norm)  # in whatever mode they come
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("fuse_conv_bn_eval", "fuse_linear_bn_eval"):
        for broken in call.breaks("mode"):
            part = call[broken.param]
            if part is not None:
                yield call.flag(f"`{part.text}` is in train mode: only layers in eval mode can be fused")
