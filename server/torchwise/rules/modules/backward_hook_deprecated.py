"""A backward hook is registered by `register_backward_hook`.

Its `grad_input` is what the last operator in the module's forward passes on, not what the module does: for a module of
several operators that is the gradient of something inside of it. `register_full_backward_hook` gets the gradients of the module's inputs.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_backward_hook
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW426", HINT, "03-autograd/control#hooks-on-modules"

EXAMPLES = [
    Example(
        bad="""
            block.register_backward_hook(note)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sees the gradient of the last operator inside
            block(torch.ones(8, 4, requires_grad=True)).sum().backward()
            """,
        good="""
            block.register_full_backward_hook(note)
            block(torch.ones(8, 4, requires_grad=True)).sum().backward()
            """,
        setup="""
            import torch
            from torch import nn

            block = nn.Sequential(nn.Linear(4, 16), nn.Linear(16, 2))
            seen = []

            def note(module, grad_input, grad_output):
                seen.extend(tuple(g.shape) for g in grad_input if g is not None)
            """,
        harm=lambda bad, good: good["seen"] == [(8, 4)] and (8, 4) not in bad["seen"],
    ),
]

SILENT = [
    """
    import torch

    x = torch.ones(2, requires_grad=True)
    x.register_hook(print)  # of a tensor
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("register_backward_hook"):
        right = call.text.replace("register_backward_hook(", "register_full_backward_hook(", 1)
        yield call.flag(
            "sees the gradient of the last operator inside, not that of the module's inputs",
            fix=replace_with(call.at, right, "Register a full backward hook", safe=False),
        )
