"""A model is exported while it is in train mode.

The exported program keeps the mode that it was traced in: Dropout goes on dropping and BatchNorm on
normalising by the
batch, and no `eval()` can be called on the program.

Source: https://docs.pytorch.org/docs/stable/export.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW507", WARNING, "11-export/export#what-is-captured"

EXAMPLES = [
    Example(
        bad="""
            program = torch.export.export(model, (torch.ones(2, 64),), dynamic_shapes=rows)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in train mode
            out = program.module()(torch.ones(2, 64))
            """,
        good="""
            model.eval()
            program = torch.export.export(model, (torch.ones(2, 64),), dynamic_shapes=rows)
            out = program.module()(torch.ones(2, 64))
            """,
        setup="import torch\nfrom torch import nn\n\nmodel, rows = nn.Sequential(nn.Dropout(0.5)), "
        "({0: torch.export.Dim('rows')},)",
        harm=lambda bad, good: (bad["out"] == 0).any() and not (good["out"] == 0).any(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())  # the mode means nothing to it
    program = torch.export.export(model, (torch.ones(2, 2),), dynamic_shapes=({0: torch.export.Dim("rows")},))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    exports = {c.ref: c for c in (*scope.calls_to("export"), *scope.calls_to("onnx_export"))}
    for forward in scope.seen("train-mode-forward"):
        call = exports.get(forward.ref)
        module = call["mod"] if call is not None else None
        if call is not None and module is not None:
            layer = forward.detail.rpartition(".")[2]
            yield call.flag(
                f"`{module.text}` is exported in train mode: its {layer} will behave as in training for "
                "good; call `eval()` first",
                because=((forward.because[-1], f"the {layer}"),),
            )
