"""A layer, parameter or buffer is registered under a name that the module uses already.

What is registered becomes an attribute, so `nn.ModuleDict({"type": ...})` would hide `Module.type`; torch refuses it
with a KeyError, for `type`, `to`, `half`, `train`, `forward` and all the others, and for `keys`, `values`, `items`, `pop`,
`update` and `clear` of a dict. Names that come from data, like those of columns, want a prefix. In the same way
`register_buffer("mask", ...)` fails where `self.mask` has been set before, if only to None.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW434", ERROR, "04-neural-networks/modules#registering-by-name"

EXAMPLES = [
    Example(
        bad="""
            columns = {"brand": 30, "type": 8}
            embeddings = nn.ModuleDict({name: nn.Embedding(size, 4) for name, size in columns.items()})
                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `type` is the name of
            """,
        good="""
            columns = {"brand": 30, "type": 8}
            embeddings = nn.ModuleDict({f"of_{name}": nn.Embedding(size, 4) for name, size in columns.items()})
            """,
        setup="from torch import nn",
        harm=KeyError,
    ),
    Example(
        bad="""
            class Masked(nn.Module):
                def __init__(self, size):
                    super().__init__()
                    self.mask = None
                    self.register_buffer("mask", torch.ones(size, size).tril())
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `mask` is an attribute that is None

            model = Masked(4)
            """,
        good="""
            class Masked(nn.Module):
                def __init__(self, size):
                    super().__init__()
                    self.register_buffer("mask", torch.ones(size, size).tril())

            model = Masked(4)
            """,
        setup="import torch\nfrom torch import nn",
        harm=KeyError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Renewed(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", None)
            self.register_buffer("mask", torch.ones(2))  # a buffer takes the place of a buffer
            self.scale = nn.Parameter(torch.ones(2))
            del self.scale
            self.register_buffer("scale", torch.ones(2))
            self.head = nn.Linear(2, 2)
            self.add_module("head", nn.Linear(2, 3))

    model = Renewed()
    parts = nn.ModuleDict({"linear": nn.Linear(2, 2), "get": nn.Linear(2, 2), "kind": nn.Linear(2, 2)})
    weights = nn.ParameterDict({"type_": nn.Parameter(torch.ones(2))})
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("name-taken"):
        for broken in call.breaks("name-taken"):
            what = broken.wanted or "the name of something that every such module has"
            yield call.flag(f"`{broken.got}` is {what}: torch registers nothing under it")
            break
