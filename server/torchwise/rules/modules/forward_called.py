"""`layer.forward(x)` is called instead of `layer(x)`.

Calling the module runs its hooks and then `forward`; calling `forward` runs no hook: what was registered
to watch, prune,
quantise, shard or compile the layer is skipped without a word. `super().forward(x)` is right, and so is a
module that
calls its own `forward`. It is a hint, unless something that goes with a call is seen here: a hook, a wrapper,
`compile()`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward
"""

import re
from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW403", WARNING, "04-neural-networks/modules#from-init-to-call"

EXAMPLES = [
    Example(
        bad="""
            out = gate.forward(torch.ones(2, 3))
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ goes round the hooks
            """,
        good="""
            out = gate(torch.ones(2, 3))
            """,
        setup="""
            import torch
            from torch import nn

            gate = nn.Linear(3, 3)
            seen = []
            watch = gate.register_forward_hook(lambda module, args, output: seen.append(output.shape))
            """,
        harm=lambda bad, good: len(bad["seen"]) == 0 and len(good["seen"]) == 1,  # type: ignore[arg-type]
    ),
    Example(
        bad="""
            first, second = map(gate.forward, torch.ones(2, 3))
                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ goes round the hooks
            """,
        good="""
            first, second = map(gate, torch.ones(2, 3))
            """,
        setup="""
            import torch
            from torch import nn

            gate = nn.Linear(3, 3)
            seen = []
            watch = gate.register_forward_hook(lambda module, args, output: seen.append(output.shape))
            """,
        harm=lambda bad, good: len(bad["seen"]) == 0 and len(good["seen"]) == 2,  # type: ignore[arg-type]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Kernel(nn.Module):
        def forward(self, x, y):
            return (x - y).square().sum(-1)

        def __call__(self, x, y=None):
            return super().__call__(x, x if y is None else y)

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.base = Kernel()

        def forward(self, x, y):
            return 2 * self.base.forward(x, y)  # not what calling it does

    distances = Scaled()(torch.ones(2), torch.zeros(2))
    """,
    """
    from torch import nn

    class Scaled(nn.Linear):
        def forward(self, x):
            return super().forward(x) * 2  # the base's own computation

        def embed(self, x):
            return self.forward(x)
    """,
]


HANDED_ON = re.compile(r"(?<![\w.])([\w.]+(?:\[[^\[\]]*\])?)\.forward\b(?!\()")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.seen("forward-called"):
        if call.detail == "own":
            continue
        handed = HANDED_ON.search(call.text)
        if handed is not None:
            owner, text = handed[1], call.text.replace(handed[0], handed[1], 1)
        elif ".forward(" in call.text:
            owner = call.callee.removesuffix(".forward")
            text = f"{owner}({call.text.partition('.forward(')[2]}"
        else:
            continue
        yield call.flag(
            f"`{owner}.forward` goes round the hooks of `{owner}`; call `{owner}` itself",
            level=WARNING if call.detail else HINT,
            fix=replace_with(call.at, text, f"Call `{owner}` itself"),
        )
