"""A layer gets a list where it takes a tensor.

`default_collate` makes one tensor of the examples' tensors and numbers, but transposes their lists: an
example that holds a list of six numbers becomes a list of six tensors, one for each place. Return tensors
from `__getitem__` (`torch.tensor(row)`), or stack the list first.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import CALLER, ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW608", ERROR, "06-data/loaders#collating"

EXAMPLES = [
    Example(
        bad="""
            class Rows(Dataset):
                def __len__(self):
                    return 4

                def __getitem__(self, i):
                    return [0.5, 1.5], 1.0

            for values, label in DataLoader(Rows(), batch_size=2):
                out = layer(values)
                            ^^^^^^ is a list, where `layer` takes a tensor
            """,
        good="""
            class Rows(Dataset):
                def __len__(self):
                    return 4

                def __getitem__(self, i):
                    return torch.tensor([0.5, 1.5]), 1.0

            for values, label in DataLoader(Rows(), batch_size=2):
                out = layer(values)
            """,
        setup="""
            import torch
            from torch import nn
            from torch.utils.data import DataLoader, Dataset

            layer = nn.Linear(2, 1)
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    parts = [torch.ones(2), torch.ones(2)]
    out = nn.Linear(2, 1)(torch.stack(parts))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("listed"):
        for broken in call.breaks("listed"):
            ref, layer = call.positional(0), call["self"]
            name = layer.text if layer is not None and not call.part else call.name
            text = scope.text(ref) or "its input"
            message = f"`{text}` is {broken.got}, where `{name}` takes a tensor"
            if text in scope.parameters:  # the caller's doing
                yield Flag(
                    CALLER,
                    f"hands over {broken.got} where `{name}` in it takes a tensor",
                    ((call.at, "here"),),
                )
            else:
                yield scope.flag(call.ref if ref is None else ref, message)
