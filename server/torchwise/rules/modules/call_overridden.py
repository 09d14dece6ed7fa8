"""A module defines `__call__` instead of `forward`.

`nn.Module.__call__` runs the hooks and then `forward`. A class with a `__call__` of its own replaces all
of that: hooks
never run, and whatever calls `forward` (DataParallel, export, quantisation) finds none. It is a hint where no
hook is seen to be registered on such a module.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW404", WARNING, "04-neural-networks/modules#from-init-to-call"

EXAMPLES = [
    Example(
        bad="""
            class Gate(nn.Module):
                def __call__(self, x):
                    ^^^^^^^^ goes round the hooks
                    return x * torch.sigmoid(x)

            gate, seen = Gate(), []
            watch = gate.register_forward_hook(lambda module, args, output: seen.append(output.shape))
            out = gate(torch.ones(3))
            """,
        good="""
            class Gate(nn.Module):
                def forward(self, x):
                    return x * torch.sigmoid(x)

            gate, seen = Gate(), []
            watch = gate.register_forward_hook(lambda module, args, output: seen.append(output.shape))
            out = gate(torch.ones(3))
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: len(bad["seen"]) == 0 and len(good["seen"]) == 1,  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    from torch import nn

    class Gate(nn.Module):
        def __call__(self, *args, **kwargs):
            return super().__call__(*args, **kwargs)  # hooks and forward still run
    """,
]


SAID = "`__call__` of a module goes round the hooks and round `forward`"


def check(scope: Reading) -> Iterator[Flag]:
    if (
        scope.name == "__call__"
        and scope.in_module
        and not scope.mentions("super", "forward", "_call_impl", "__call__")
    ):
        yield scope.flag(0, SAID, part="name", level=HINT)
    for call in scope.seen("hooks-passed"):
        own, module = call.because
        yield Flag(own, SAID, ((module, "hooks are registered on it"),), part="name")
