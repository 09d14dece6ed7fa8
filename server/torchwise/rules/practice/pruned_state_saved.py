"""The state of a pruned module is saved.

Pruning keeps `weight_orig` and `weight_mask` in place of `weight`, so the keys of the state dict fit no
module that was
not pruned in the same way. `prune.remove` makes the pruning permanent and brings the names back.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.remove.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW905", WARNING, "15-utilities/pruning-and-fusing#making-a-pruning-permanent"

EXAMPLES = [
    Example(
        bad="""
            prune.l1_unstructured(layer, "weight", amount=0.5)
            torch.save(layer.state_dict(), file)
                       ^^^^^^^^^^^^^^^^^^ `weight_orig`
            nn.Linear(2, 2).load_state_dict(torch.load(io.BytesIO(file.getvalue())))
            """,
        good="""
            prune.l1_unstructured(layer, "weight", amount=0.5)
            prune.remove(layer, "weight")
            torch.save(layer.state_dict(), file)
            nn.Linear(2, 2).load_state_dict(torch.load(io.BytesIO(file.getvalue())))
            """,
        setup="""
            import io

            import torch
            from torch import nn
            from torch.nn.utils import prune

            layer, file = nn.Linear(2, 2), io.BytesIO()
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.nn.utils import prune

    layer = nn.Linear(2, 2)
    torch.save(layer.state_dict(), "before.pt")
    prune.l1_unstructured(layer, "weight", amount=0.5)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for save in scope.calls_to("save"):
        for pruned in save.breaks("pruned"):
            saved = save["obj"]
            if saved is not None:
                yield saved.flag(
                    "a pruned module is saved with `weight_orig` and `weight_mask` for keys; call "
                    "`prune.remove` first",
                    because=scope.made(pruned.because, "pruned here"),
                )
