"""The state dict of a DataParallel wrapper is saved.

Its keys all start with `module.`, so that it loads into a wrapped model only. Save the state dict of
`.module`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW804", HINT, "10-distributed/processes#what-goes-wrong-with-ddp"

EXAMPLES = [
    Example(
        bad="""
            torch.save(model.state_dict(), file)
                       ^^^^^^^^^^^^^^^^^^ start with `module.`
            """,
        good="""
            torch.save(model.module.state_dict(), file)
            """,
        setup="import io\n\nimport torch\nfrom torch import nn\n\nmodel, file = "
        "nn.DataParallel(nn.Linear(2, 2)), io.BytesIO()",
        harm=lambda bad, good: bad["file"].tell() != good["file"].tell(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.DataParallel(nn.Linear(2, 2))
    model.load_state_dict(model.state_dict())  # stays in the family
    """,
]
WRAPPERS = ("torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel")


def check(scope: Reading) -> Iterator[Flag]:
    saves = bool(scope.calls_to("save"))
    for taken in scope.calls_to("state_dict") if saves else ():
        owner = taken["self"]
        if owner is not None and any(owner.is_a(cls) for cls in WRAPPERS):
            yield taken.flag(
                f"the keys of `{owner.text}` start with `module.` and load into a wrapped model only; "
                f"save `{owner.text}.module`",
                fix=replace_with(
                    taken.at, f"{owner.text}.module.state_dict()", "Take the state of the module inside"
                ),
            )
