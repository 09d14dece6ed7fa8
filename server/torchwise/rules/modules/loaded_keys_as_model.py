"""What `load_state_dict` returns is taken for the model.

It loads in place, and returns the names of missing and unexpected keys. After `model =
model.load_state_dict(state)` the name stands for these names: calling it raises TypeError, and so does
loading from a path (`load_state_dict("net.pt")`).

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW423", ERROR, "04-neural-networks/modules#the-state-dict"

EXAMPLES = [
    Example(
        bad="""
            model = nn.Linear(2, 1)
            model = model.load_state_dict(state)
            out = model(torch.ones(1, 2))
                  ^^^^^^^^^^^^^^^^^^^^^^^ calls what `load_state_dict` returned
            """,
        good="""
            model = nn.Linear(2, 1)
            model.load_state_dict(state)
            out = model(torch.ones(1, 2))
            """,
        setup="import torch\nfrom torch import nn\n\nstate = nn.Linear(2, 1).state_dict()",
        harm=TypeError,
    ),
]

SILENT = [
    """
    from torch import nn

    model = nn.Linear(2, 1)
    keys = model.load_state_dict(nn.Linear(2, 1).state_dict(), strict=False)
    missing = keys.missing_keys
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for called in scope.happenings("keys-called"):
        yield called.flag(f"`{called.text}` calls what `load_state_dict` returned: names of keys, no model")
    for call in scope.calls_that_break("path-as-state"):
        given = call["state_dict"]
        if given is not None:
            yield given.flag(
                f"`{given.text}` is a path: `load_state_dict` takes what `torch.load` gives of it"
            )
