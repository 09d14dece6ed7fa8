"""A function of `AveragedModel` is handed over under the name of the other kind.

`avg_fn` is called with one tensor and its average at a time, `multi_avg_fn` with the lists of all of them.
`get_ema_avg_fn` and `get_swa_avg_fn` make the first, `get_ema_multi_avg_fn` and `get_swa_multi_avg_fn` the second.
Under the wrong name the first update still works, because it only copies; the second one raises.

Source: https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW158", ERROR, "07-training/better-models#a-moving-average-of-weights"

SETUP = """
    import torch
    from torch import nn
    from torch.optim.swa_utils import (
        AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn, get_swa_avg_fn, get_swa_multi_avg_fn
    )

    model = nn.Linear(4, 2)
    """

EXAMPLES = [
    Example(
        bad="""
            averaged = AveragedModel(model, multi_avg_fn=get_ema_avg_fn(0.99))
                                                         ^^^^^^^^^^^^^^^^^^^^ averages one tensor at a time
            for _ in range(2):
                averaged.update_parameters(model)
            """,
        good="""
            averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
            for _ in range(2):
                averaged.update_parameters(model)
            """,
        setup=SETUP,
        harm=TypeError,
    ),
    Example(
        bad="""
            averaged = AveragedModel(model, None, get_ema_multi_avg_fn())
                                                  ^^^^^^^^^^^^^^^^^^^^^^ averages lists of tensors
            for _ in range(2):
                averaged.update_parameters(model)
            """,
        good="""
            averaged = AveragedModel(model, None, get_ema_avg_fn())
            for _ in range(2):
                averaged.update_parameters(model)
            """,
        setup=SETUP,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch
    from torch.optim.swa_utils import AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn, get_swa_multi_avg_fn

    def averages(model, kind, own):
        per_tensor = get_ema_avg_fn(0.9)
        slot, make = ("avg_fn", get_ema_avg_fn) if kind == "one" else ("multi_avg_fn", get_ema_multi_avg_fn)
        warmed = lambda average, weight, count: per_tensor(average, weight, count) if count > 9 else weight
        return (
            AveragedModel(model, avg_fn=per_tensor),
            AveragedModel(model, **{slot: make(0.9)}),
            AveragedModel(model, avg_fn=warmed),
            AveragedModel(model, multi_avg_fn=own if own else get_swa_multi_avg_fn()),
        )
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("argument"):
        for broken in call.breaks("argument") if call.op == "AveragedModel" else ():
            if (function := call[broken.param]) is not None:
                gets = "lists of tensors" if broken.got == "multi_avg_fn" else "one tensor at a time"
                yield function.flag(
                    f"averages {gets}, and is handed over as `{broken.wanted}`: name it `{broken.got}`",
                )
