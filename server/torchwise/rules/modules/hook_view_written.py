"""What a module with a full backward hook gives, or gets, is changed in place.

To see its gradients, a full backward hook makes the inputs and outputs of its module views of a custom Function,
and autograd refuses to change those in place: a hook on a convolution, and `nn.ReLU(inplace=True)` behind it. Make
the activation one that is not in place, or clone what it gets.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW441", ERROR, "04-neural-networks/modules#hooks"

EXAMPLES = [
    Example(
        bad="""
            handle = layer.register_full_backward_hook(lambda module, given, got: norms.append(got[0].norm()))
            out = layer(torch.ones(1, 2))
            out.relu_()
            ^^^^^^^^^^^ changes in place what a module with a full backward hook gives
            out.sum().backward()
            """,
        good="""
            handle = layer.register_full_backward_hook(lambda module, given, got: norms.append(got[0].norm()))
            out = layer(torch.ones(1, 2))
            out = out.relu()
            out.sum().backward()
            """,
        setup="import torch\nfrom torch import nn\n\nlayer, norms = nn.Linear(2, 2), []",
        harm=RuntimeError,
    ),
    Example(
        bad="""
            activation = nn.ReLU(inplace=True)
            handle = activation.register_full_backward_hook(lambda module, given, got: norms.append(got[0].norm()))
            activation(layer(torch.ones(1, 2))).sum().backward()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ changes its input in place
            """,
        good="""
            activation = nn.ReLU()
            handle = activation.register_full_backward_hook(lambda module, given, got: norms.append(got[0].norm()))
            activation(layer(torch.ones(1, 2))).sum().backward()
            """,
        setup="import torch\nfrom torch import nn\n\nlayer, norms = nn.Linear(2, 2), []",
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    norms = []
    layer, activation = nn.Linear(2, 2), nn.ReLU(inplace=True)
    block = nn.Sequential(layer, activation)
    outer = block.register_full_backward_hook(lambda module, given, got: norms.append(got[0].norm()))
    block(torch.ones(1, 2)).sum().backward()  # in place inside of it
    handle = layer.register_full_backward_hook(lambda module, given, got: norms.append(got[0].norm()))
    with torch.no_grad():
        layer(torch.ones(1, 2)).relu_()  # no graph, no view
    layer(torch.ones(1, 2)).clone().relu_()
    handle.remove()
    layer(torch.ones(1, 2)).relu_()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for written in scope.happenings("hook-view-written"):
        what = (
            "changes its input in place, and has a full backward hook: that input is a view that must not be changed"
            if written.detail
            else "changes in place what a module with a full backward hook gives, which is a view that must not be"
        )
        yield written.flag(what, because=((written.because[0], "the hook"),))
