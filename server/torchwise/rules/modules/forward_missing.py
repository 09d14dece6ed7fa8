"""A module is called that has no `forward`.

Calling a module runs its `forward`. A class without one (misspelled, indented into another method, forgotten) raises
NotImplementedError, and so do ModuleList and ModuleDict: they hold layers and say nothing of how to apply them.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW436", ERROR, "04-neural-networks/modules#from-init-to-call"

EXAMPLES = [
    Example(
        bad="""
            class Double(nn.Module):
                def foward(self, x):
                    return 2 * x

            y = Double()(torch.ones(3))
                ^^^^^^^^^^^^^^^^^^^^^^^ `Double` has no `forward`: is `foward` meant?
            """,
        good="""
            class Double(nn.Module):
                def forward(self, x):
                    return 2 * x

            y = Double()(torch.ones(3))
            """,
        setup="import torch\nfrom torch import nn",
        harm=NotImplementedError,
    ),
    Example(
        bad="""
            y = layers(torch.ones(3))
                ^^^^^^^^^^^^^^^^^^^^^ a `ModuleList` has no `forward`
            """,
        good="""
            y = torch.ones(3)
            for layer in layers:
                y = layer(y)
            """,
        setup="import torch\nfrom torch import nn\n\nlayers = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])",
        harm=NotImplementedError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Stage(nn.Module):
        def run(self, x):
            return self(x)  # a class below has it

    class Double(Stage):
        def forward(self, x):
            return 2 * x

    class Late(nn.Module):
        def __init__(self, rule):
            super().__init__()
            self.forward = rule

    Double().run(torch.ones(3))
    Late(torch.relu)(torch.ones(3))
    """,
    """
    import torch
    from torch import nn

    class Bare(nn.Module):
        pass

    Bare.forward = lambda self, x: x
    Bare()(torch.ones(3))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.happenings("no-forward"):
        if call.ref in scope.guarded or (not scope.facts.called and not scope.beside(call.because[0])):
            continue  # nobody is seen to call this with what stands in for a model in a test
        name, meant = call.detail.split(":")
        if name in ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict"):
            message = (
                f"a `{name}` has no `forward`: apply what it holds one by one, or make it a `Sequential`"
            )
        else:
            message = f"`{name}` has no `forward`" + (f": is `{meant}` meant?" if meant else "")
        yield call.flag(message, because=((call.because[0], "made here"),))
