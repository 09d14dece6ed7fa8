"""An operator that has no deterministic form runs after `use_deterministic_algorithms(True)`.

torch then raises RuntimeError in the place of giving numbers that may differ from run to run. Write the
same with an operator that has one (`x[index] = values` for `put_`), switch the setting off around it, or
pass `warn_only=True`. Some operators have no deterministic form on a GPU only; they are named where the
tensor is known to be on one.

Source: https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW907", ERROR, "14-testing/repeatable-runs#deterministic-algorithms"

EXAMPLES = [
    Example(
        bad="""
            torch.use_deterministic_algorithms(True)
            prices = torch.zeros(4)
            prices.put_(torch.tensor([1, 2]), torch.ones(2))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has no deterministic form
            """,
        good="""
            torch.use_deterministic_algorithms(True)
            prices = torch.zeros(4)
            prices[torch.tensor([1, 2])] = torch.ones(2)
            torch.use_deterministic_algorithms(False)
            """,
        setup="import torch",
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.zeros(4).put_(torch.tensor([1, 2]), torch.ones(2))
    """,
    """
    import torch

    torch.use_deterministic_algorithms(True)
    torch.zeros(4).put_(torch.tensor([1, 1]), torch.ones(2), accumulate=True)  # has one on the CPU
    counts = torch.bincount(torch.tensor([1, 1]), torch.ones(2))  # refused on a GPU only
    """,
]

# By the list in the documentation; each of the first was seen to raise on the CPU of torch 2.13.
NOWHERE = frozenset(
    ("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d")
)
PLACED = frozenset(("put", "put_"))  # unless they accumulate, on the CPU
NOT_ON_GPU = frozenset(("histc", "bincount", "cumsum", "NLLLoss", "nll_loss"))
GPU_IN_TRAINING = frozenset((
    "AvgPool3d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool2d", "FractionalMaxPool2d",
    "FractionalMaxPool3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "CTCLoss", "grid_sample",
))  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_under("deterministic"):
        setting = call.under("deterministic")
        if setting is not None and setting.mode == "on" and _refused(call):
            because = ((setting.at, "asked for here"),) if setting.at is not None else ()
            yield call.flag(
                f"`{call.name}` has no deterministic form, and was told to have one: it raises",
                because=because,
            )


def _refused(call: Call) -> bool:
    if call.makes_layer and not call.on_layer:
        return False
    name = call.spelling.removesuffix(".__call__").rpartition(".")[2]
    source = call["input"] or call["self"]
    tensor = source.tensor if source is not None else None
    on_gpu = tensor is not None and (tensor.device or "").startswith("cuda")
    if name in PLACED:
        accumulates = call["accumulate"]
        return on_gpu or accumulates is None or accumulates.constant is False
    if name in NOT_ON_GPU:
        floating = tensor is not None and (tensor.dtype or "").startswith("float")
        return on_gpu and (floating or "weights" in call)
    trained = source is not None and source.needs_grad
    return name in NOWHERE or (name in GPU_IN_TRAINING and on_gpu and trained)
