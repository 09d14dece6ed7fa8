"""The state dict of a compiled module is taken.

`torch.compile(model)` is a module around the model, so its keys all start with `_orig_mod.`, and load into
no model that
is not compiled. Take the state dict of the model itself, or compile in place with `model.compile()`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.compile.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW509", HINT, "08-compile/graphs#ways-to-ask-for-it"

EXAMPLES = [
    Example(
        bad="""
            fast = torch.compile(model)
            state = fast.state_dict()
                    ^^^^^^^^^^^^^^^^^ start with `_orig_mod.`
            """,
        good="""
            fast = torch.compile(model)
            state = model.state_dict()
            """,
        setup="import torch\nfrom torch import nn\n\nmodel = nn.Linear(2, 2)",
        harm=lambda bad, good: "_orig_mod.weight" in bad["state"] and "weight" in good["state"],  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.Linear(2, 2)
    model.compile()
    state = model.state_dict()  # the model's own keys
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for taken in scope.seen("compiled-state-dict"):
        yield taken.flag(
            "the keys of a compiled module start with `_orig_mod.` and load into no other; take the "
            "model's own state dict",
            because=tuple((site, "compiled here") for site in taken.because),
        )
