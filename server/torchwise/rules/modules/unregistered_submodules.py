"""Layers are kept in a plain list, dict or tuple, so the module does not know them.

`parameters()`, `state_dict()`, `to()`, `train()` and `eval()` walk what is registered: attributes that are
modules, and
the containers `ModuleList`, `ModuleDict` and `Sequential`. Layers in a Python list are not trained, not
moved, not saved.
Layers that are registered in another way as well are fine, and so is one module hidden in a list on purpose.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW401", ERROR, "04-neural-networks/modules#what-a-module-does-for-you"

EXAMPLES = [
    Example(
        bad="""
            class Tower(nn.Module):
                def __init__(self, width, depth):
                    super().__init__()
                    self.floors = [nn.Linear(width, width) for _ in range(depth)]
                    ^^^^^^^^^^^ keeps layers in a plain list

                def forward(self, x):
                    for floor in self.floors:
                        x = torch.relu(floor(x))
                    return x

            known = len(list(Tower(4, 3).parameters()))
            """,
        good="""
            class Tower(nn.Module):
                def __init__(self, width, depth):
                    super().__init__()
                    self.floors = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])

                def forward(self, x):
                    for floor in self.floors:
                        x = torch.relu(floor(x))
                    return x

            known = len(list(Tower(4, 3).parameters()))
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: bad["known"] == 0 and good["known"] == 6,
    ),
]

SILENT = [
    """
    from torch import nn

    class Tower(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.order = [nn.Linear(width, width), nn.Linear(width, width)]
            self.floors = nn.Sequential(*self.order)  # registered here
    """,
    """
    from torch import nn

    class Tower(nn.Module):
        def __init__(self):
            super().__init__()
            self.losses = [nn.L1Loss(), nn.MSELoss()]  # nothing to learn in them
    """,
    """
    from torch import nn

    class Heads(nn.Module):
        def __init__(self, sizes):
            super().__init__()
            self.by_task = {}
            for task, size in sizes.items():
                self.by_task[task] = nn.Linear(8, size)
                self.add_module(task, self.by_task[task])  # registered one by one
    """,
    """
    from torch import nn

    class Stack(nn.Module):
        def __init__(self, width, depth: int):
            super().__init__()
            self.plain = [nn.Linear(width, width) for _ in range(depth)]
            self.layers = nn.ModuleList(self.plain)  # registered, however many there are
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for held in scope.seen("unregistered-modules"):
        wanted = {"dict": "nn.ModuleDict"}.get(held.detail, "nn.ModuleList")
        yield held.flag(
            f"`{held.text}` keeps layers in a plain {held.detail}: they are not trained, moved or saved "
            f"with the module; use {wanted}",
            because=tuple((site, "one of the layers") for site in held.because),
        )
