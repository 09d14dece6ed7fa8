"""An evaluation runs a model that is still in train mode.

Dropout goes on dropping and BatchNorm normalises by the batch at hand (and moves its running statistics
towards the
evaluation data), so the figures are noisy, depend on the batch size, and are worse than the model is.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval
"""

from collections.abc import Iterator

from torchwise.fixes.edits import insert_before
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW102", WARNING, "07-training/loop#two-modes"

EXAMPLES = [
    Example(
        bad="""
            def evaluate(loader):
                with torch.no_grad():
                    return [model(batch) for batch in loader]
                            ^^^^^^^^^^^^ `model` is evaluated in train mode
            scores = evaluate(held_out)
            """,
        good="""
            def evaluate(loader):
                model.eval()
                with torch.no_grad():
                    return [model(batch) for batch in loader]
            scores = evaluate(held_out)
            """,
        setup="""
            import torch
            from torch import nn

            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 1))
            held_out = [torch.ones(8, 4)] * 2
            """,
        harm=lambda bad, good: (
            not bad["scores"][0].equal(bad["scores"][1]) and good["scores"][0].equal(good["scores"][1])
        ),  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def evaluate(loader):
        with torch.no_grad():
            return [model(batch) for batch in loader]  # nothing in it depends on the mode

    evaluate([torch.ones(8, 4)])
    """,
    """
    import torch

    def evaluate(model, loader):
        with torch.no_grad():
            return [model(batch) for batch in loader]  # the caller may have set the mode
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if not scope.evaluates or scope.left_to_base:
        return
    for forward in scope.happenings("train-mode-forward"):
        if not forward.recording and not forward.tries_out:
            layer = forward.detail.rpartition(".")[2]
            name = forward.callee
            yield forward.flag(
                f"`{name}` is evaluated in train mode: its {layer} behaves as in training",
                because=((forward.because[-1], f"the {layer}"),),
                fix=insert_before(
                    forward.outermost, f"{name}.eval()", f"Call `{name}.eval()` first", safe=False
                ),
            )
