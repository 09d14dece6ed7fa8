"""`F.dropout` in a module does not follow the module's mode.

`training` is True by default, so the function goes on dropping after `eval()`: predictions are noisy and
differ from call
to call. `nn.Dropout` follows the mode; the function needs `training=self.training`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ON_PURPOSE, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW406", WARNING, "04-neural-networks/modules#module-or-function"

EXAMPLES = [
    Example(
        bad="""
            class Head(nn.Module):
                def forward(self, x):
                    return F.dropout(x, 0.5)
                           ^^^^^^^^^^^^^^^^^ drops in eval mode too

            head = Head().eval()
            out = head(torch.ones(1000))
            """,
        good="""
            class Head(nn.Module):
                def forward(self, x):
                    return F.dropout(x, 0.5, self.training)

            head = Head().eval()
            out = head(torch.ones(1000))
            """,
        setup="import torch\nimport torch.nn.functional as F\nfrom torch import nn",
        harm=lambda bad, good: (bad["out"] == 0).any() and not (good["out"] == 0).any(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch.nn.functional as F
    from torch import nn

    class Head(nn.Module):
        def forward(self, x):
            if self.training:
                x = F.dropout(x, 0.5)  # in training only
            return F.dropout(x, 0.0)
    """,
]
DROPOUTS = ("torch.nn.functional.dropout", "torch.nn.functional.dropout1d", "torch.nn.functional.dropout2d",
            "torch.nn.functional.dropout3d", "torch.nn.functional.alpha_dropout",
            "torch.nn.functional.feature_alpha_dropout")  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    if (
        not scope.in_module
        or ON_PURPOSE.search(scope.name.lower())
        or ON_PURPOSE.search(scope.class_name.lower())
    ):
        return
    for call in scope.calls_to(*DROPOUTS):
        if "training" not in call and not call.guarded("training"):
            rate = call["p"]
            if rate is None or rate.constant != 0:
                yield call.flag(f"`{call.name}` without `training=self.training` drops in eval mode too")
