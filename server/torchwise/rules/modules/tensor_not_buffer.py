"""A module keeps a tensor as a plain attribute, and its forward works with it.

Only parameters and buffers are moved by `.to(device)` and saved by `state_dict()`. Running statistics in a
plain attribute are lost with every checkpoint: a loaded model starts from the initial values again. A
constant stays behind on the CPU. Use `self.register_buffer("mean", ...)`, with `persistent=False` for what
need not be saved: a cache or a table, and no average.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW419", WARNING, "04-neural-networks/modules#parameters-and-buffers"

EXAMPLES = [
    Example(
        bad="""
            class Centred(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.mean = torch.zeros(2)
                    ^^^^^^^^^ a plain attribute is not saved with the module

                def forward(self, x):
                    if self.training:
                        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
                    return x - self.mean

            trained, loaded = Centred(), Centred()
            trained(torch.ones(4, 2))
            loaded.load_state_dict(trained.state_dict())
            """,
        good="""
            class Centred(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("mean", torch.zeros(2))

                def forward(self, x):
                    if self.training:
                        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
                    return x - self.mean

            trained, loaded = Centred(), Centred()
            trained(torch.ones(4, 2))
            loaded.load_state_dict(trained.state_dict())
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: (
            not bad["loaded"].mean.equal(bad["trained"].mean)  # type: ignore[attr-defined]
            and good["loaded"].mean.equal(good["trained"].mean)  # type: ignore[attr-defined]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Cached(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("keys", torch.zeros(4, 2), persistent=False)
            self.register_buffer("at", torch.zeros(1, dtype=torch.long), persistent=False)

        def forward(self, x):
            self.keys.index_copy_(0, self.at, x)
            self.at.add_(1)  # of one run
            return x @ self.keys.T
    """,
    """
    import torch
    from torch import nn

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = torch.tensor([1.0, 2.0])

        def forward(self, x):
            return x * self.factor.to(x.device)  # moved by hand
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for held in scope.seen("state-not-registered"):
        yield held.flag(
            f"`{held.detail}` changes as the model is used, but a plain attribute is not saved with the module, "
            f"nor moved; use `register_buffer`"
        )
    for held in scope.seen("constant-not-registered"):
        yield held.flag(
            f"`{held.detail}` is a plain attribute: `.to(device)` leaves it behind; use `register_buffer`",
            level=HINT,
        )
    for held in scope.seen("learned-not-saved"):
        yield held.flag(
            f"`{held.detail}` is an average that the model learns, and `persistent=False` leaves it out of the "
            "state dict"
        )
