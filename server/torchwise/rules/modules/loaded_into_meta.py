"""A state is loaded into a model on the meta device, which has no memory to copy it to.

Under `torch.device("meta")` a model is made without memory. `load_state_dict` copies into tensors that are there, so it does
nothing, and the first call with real data raises. With `assign=True` the loaded tensors take the place of the
model's own.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW450", WARNING, "13-advanced/functions#shapes-without-numbers"

EXAMPLES = [
    Example(
        bad="""
            with torch.device("meta"):
                model = nn.Linear(4, 2)
            model.load_state_dict(state)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ without `assign=True` nothing is loaded into a model on the meta device
            held = model.weight.device.type
            """,
        good="""
            with torch.device("meta"):
                model = nn.Linear(4, 2)
            model.load_state_dict(state, assign=True)
            held = model.weight.device.type
            """,
        setup="import torch\nfrom torch import nn\n\nstate = nn.Linear(4, 2).state_dict()",
        harm=lambda bad, good: bad["held"] == "meta" and good["held"] == "cpu",
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    with torch.device("meta"):
        model = nn.Linear(4, 2)
    model.to_empty(device="cpu")
    model.load_state_dict(nn.Linear(4, 2).state_dict())
    model(torch.ones(3, 4))
    """,
    """
    import torch
    from torch import nn

    with torch.device("meta"):
        model = nn.Linear(4, 2)
    model.load_state_dict(nn.Linear(4, 2).state_dict(), assign=True)
    model(torch.ones(3, 4))  # on the CPU now
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("meta-state"):
        yield call.flag(
            "without `assign=True` nothing is loaded into a model on the meta device: its tensors have no memory"
        )
