"""A module's own `train`, `eval` or `to` does not return the module.

`nn.Module` promises that `train()`, `eval()`, `to()` and the like give the module back, and `eval()` gives what
`train(False)` gives. An override that forgets `return self` makes `model = model.eval()` None, and the error
comes where the model is called. Where nobody uses what it gives, nothing is lost.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW427", HINT, "04-neural-networks/modules#what-a-module-does-for-you"

EXAMPLES = [
    Example(
        bad="""
            class Frozen(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.norm = nn.BatchNorm1d(3)

                def train(self, mode=True):
                    ^^^^^ gives None, where `nn.Module` gives the module
                    super().train(mode)
                    self.norm.eval()

            model = Frozen().eval()
            """,
        good="""
            class Frozen(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.norm = nn.BatchNorm1d(3)

                def train(self, mode=True):
                    super().train(mode)
                    self.norm.eval()
                    return self

            model = Frozen().eval()
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: bad["model"] is None and good["model"] is not None,
    ),
]

SILENT = [
    """
    from torch import nn

    class Frozen(nn.Module):
        def train(self, mode=True):
            return super().train(mode)

        def share(self):
            self.eval()  # no method of nn.Module
    """,
    """
    class Trainer:
        def train(self, loader):
            self.model.train()  # no module
    """,
]
CHAINED = (
    "train",
    "eval",
    "to",
    "cuda",
    "cpu",
    "float",
    "half",
    "double",
    "bfloat16",
    "requires_grad_",
    "apply",
)


def check(scope: Reading) -> Iterator[Flag]:
    if scope.name in CHAINED and scope.in_module and scope.mentions("super") and scope.returns_nothing:
        if any(scope.calls_to(scope.name)):
            yield scope.flag(
                0,
                f"this `{scope.name}` gives None, where `nn.Module` gives the module: `return self` is missing",
                part="name",
            )
