"""A state dict is loaded into a module whose buffer is still None.

A buffer that is registered as None is in no state dict. Once a method has given it a tensor it is, and a fresh
module, where it is None, refuses the key as unexpected. Register it with a tensor of its shape (`torch.zeros(n)`),
or with `persistent=False` where it can be worked out anew.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW440", ERROR, "04-neural-networks/modules#the-state-dict"

CLASS = """
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", None)

        def fit(self, x):
            self.mean = x.mean(0)
            return self

        def forward(self, x):
            return x - self.mean
"""
EXAMPLES = [
    Example(
        bad="""
            fitted = Scale().fit(torch.ones(3, 2))
            fresh = Scale()
            fresh.load_state_dict(fitted.state_dict())
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `mean` is None here
            """,
        good="""
            fitted = Scale().fit(torch.ones(3, 2))
            fresh = Scale().fit(torch.zeros(3, 2))
            fresh.load_state_dict(fitted.state_dict())
            """,
        setup=CLASS,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            def restored(path):
                fresh = Scale()
                fresh.load_state_dict(torch.load(path, weights_only=True))
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `mean` is None here
                return fresh
            """,
        good="""
            def restored(path):
                fresh = Scale()
                fresh.load_state_dict(torch.load(path, weights_only=True), strict=False)
                return fresh
            """,
        setup=CLASS,
    ),
]

SILENT = [
    CLASS
    + """
    fresh = Scale()
    fresh.load_state_dict(Scale().state_dict())  # None there, too

    class Kept(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", None, persistent=False)  # in no state dict
            self.register_buffer("bias", None)  # stays None

        def forward(self, x):
            if self.mask is None:
                self.mask = torch.ones(x.shape[-1])
            return x * self.mask

    Kept().load_state_dict(torch.load("kept.pt", weights_only=True))
    """,
    """
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", None)

        def fit(self, x):
            self.mean = x.mean(0)

        def _load_from_state_dict(self, state, prefix, *rest):
            self.mean = torch.empty_like(state[prefix + "mean"])
            super()._load_from_state_dict(state, prefix, *rest)

    Scale().load_state_dict(torch.load("scale.pt", weights_only=True))  # which makes room for it
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for load in scope.happenings("none-buffer-loaded"):
        name = load.detail.removesuffix("!")
        yield load.flag(
            f"`{name}` is None here, so a state dict that has it, as one that was saved after it was set, is refused",
            because=((load.because[0], "registered as None here"),),
            level=None if load.detail.endswith("!") else HINT,
        )
