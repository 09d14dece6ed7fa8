"""TorchScript is deprecated.

`torch.jit.script`, `trace` and all that goes with them warn since torch 2.9. `torch.compile` makes a model
faster,
`torch.export` takes it out of Python.

Source: https://docs.pytorch.org/docs/stable/jit.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW520", HINT, "11-export/export#torchscript"
SINCE = "2.9"

EXAMPLES = [
    Example(
        bad="""
            fast = torch.jit.script(model)
                   ^^^^^^^^^^^^^^^^^^^^^^^ TorchScript is deprecated
            """,
        good="""
            fast = torch.compile(model)
            """,
        setup="import torch\nfrom torch import nn\n\nmodel = nn.Linear(2, 2)",
    ),
]

SILENT = [
    """
    import torch

    def scaled(x):
        return x * 2 if torch.jit.is_scripting() else x  # asks, and scripts nothing
    """,
]
SAVING = ("torch.jit.save", "torch.jit.load")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_tagged("deprecated"):
        if call.spelling.startswith("torch.jit."):
            instead = "torch.export" if call.spelling in SAVING else "torch.compile or torch.export"
            yield call.flag(f"`{call.name}`: TorchScript is deprecated; use {instead}")
