"""Attention drops weights in eval mode too.

`scaled_dot_product_attention` is a function: it applies `dropout_p` whenever it is above 0, and does not know the
module's mode. Pass `self.p if self.training else 0.0`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW708", WARNING, "09-attention/attention#one-function-for-all-of-it"

EXAMPLES = [
    Example(
        bad="""
            class Attention(nn.Module):
                def __init__(self, drop):
                    super().__init__()
                    self.drop = drop

                def forward(self, q, k, v):
                    return F.scaled_dot_product_attention(q, k, v, dropout_p=self.drop)
                                                                             ^^^^^^^^^ applies in eval mode too

            attention = Attention(0.5).eval()
            one, two = attention(x, x, x), attention(x, x, x)
            """,
        good="""
            class Attention(nn.Module):
                def __init__(self, drop):
                    super().__init__()
                    self.drop = drop

                def forward(self, q, k, v):
                    return F.scaled_dot_product_attention(q, k, v, dropout_p=self.drop if self.training else 0.0)

            attention = Attention(0.5).eval()
            one, two = attention(x, x, x), attention(x, x, x)
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            torch.manual_seed(0)
            x = torch.randn(1, 2, 16, 8)
            """,
        harm=lambda bad, good: not bad["one"].equal(bad["two"]) and good["one"].equal(good["two"]),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch.nn.functional as F
    from torch import nn

    class Attention(nn.Module):
        def forward(self, q, k, v, drop):
            return F.scaled_dot_product_attention(q, k, v, dropout_p=drop)  # may be 0 in eval mode
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if not scope.in_module or scope.on_purpose:
        return
    for call in scope.calls_to("scaled_dot_product_attention"):
        rate = call["dropout_p"]
        if rate is None or not isinstance(rate.constant, float) or rate.constant == 0.0:
            continue
        if scope.runs_project(rate.ref):
            continue  # a property, say, that asks for the mode
        if "training" not in scope.words_in(rate.ref) and not call.guarded("training"):
            yield rate.flag(
                f"applies in eval mode too: `dropout_p` is {rate.constant} whatever the mode",
                fix=append_to(rate.at, " if self.training else 0.0", "Drop only in training"),
            )
