"""The result of an operation on a tensor is thrown away.

`x.to(device)`, `x.float()`, `x.view(...)`, `x.masked_fill(...)` leave `x` as it is and return something
new. Modules are moved in place by
`model.to(device)`, tensors are not. Only methods whose names end in an underscore change the tensor itself.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW323", WARNING, "02-tensors/making#changing-the-dtype"


def _unchanged(bad: dict[str, object], good: dict[str, object]) -> bool:
    return not bad["logits"].isinf().any() and bool(good["logits"].isinf().any())  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            def hide(logits, taken):
                logits = logits.float()
                logits.masked_fill(taken, float("-inf"))
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ does not change `logits`
                return logits
            logits = hide(board, board != 0)
            """,
        good="""
            def hide(logits, taken):
                logits = logits.float()
                logits = logits.masked_fill(taken, float("-inf"))
                return logits
            logits = hide(board, board != 0)
            """,
        setup="""
            import torch

            board = torch.tensor([0, 1, 0])
            """,
        harm=_unchanged,
    ),
]

SILENT = [
    """
    import torch

    def on_its_device(network, rank):
        network.cuda()  # moves a module in place, if that is what it is
        network = torch.nn.parallel.DistributedDataParallel(network, device_ids=[rank])
        return network.parameters()
    """,
    """
    import torch
    from torch import nn

    def prepare(device):
        model = nn.Linear(3, 2)
        model.to(device)  # a module is moved in place
        torch.zeros(1).to(device)  # wakes the device up
        return model
    """,
]

CHANGES = frozenset((
    "to", "cuda", "cpu", "float", "half", "double", "bfloat16", "long", "int", "bool", "type", "detach",
    "view", "reshape", "permute", "transpose", "t", "squeeze", "unsqueeze", "flatten", "expand", "clamp",
    "masked_fill", "scatter", "scatter_add", "index_fill", "index_add", "index_copy", "add", "sub", "mul",
    "div", "relu", "sigmoid", "tanh", "exp", "log", "sqrt", "abs", "neg", "pow", "round", "floor",
    "masked_scatter", "movedim", "swapaxes", "roll", "flip", "type_as", "contiguous", "normal", "fmod",
))  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*CHANGES):
        name = call.name.rpartition(".")[0]
        plain = name.replace(".", "").isidentifier() and not name.startswith("torch")
        if not plain or not call.spelling.startswith("Tensor.") or scope.used(call.ref):
            continue
        looked_at = scope.kind == "module" and not call.loops and not call.changes_values
        if call.ref in scope.guarded or looked_at or not call.makes_tensor:
            continue
        fix = replace_with(call.at, f"{name} = {call.text}", "Assign the result")
        yield call.flag(f"does not change `{name}`: the result is thrown away", fix=fix)
