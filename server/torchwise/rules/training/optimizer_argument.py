"""What is handed to an optimizer is nothing that it can hold.

An optimizer takes parameters in a list or an iterator, or groups of them. A module, one tensor alone, a list with
nothing in it and a parameter that is in two groups raise when the optimizer is made; so do rates below zero.

Source: https://docs.pytorch.org/docs/stable/optim.html#constructing-it
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW156", ERROR, "05-optimizers/optimizers#what-an-optimizer-holds"

EXAMPLES = [
    Example(
        bad="""
            optimizer = torch.optim.SGD(model, lr=0.1)
                                        ^^^^^ is a module: an optimizer takes its `parameters()`
            """,
        good="""
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            """,
        setup="import torch\nfrom torch import nn\n\nmodel = nn.Linear(4, 2)",
        harm=TypeError,
    ),
    Example(
        bad="""
            optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ holds no parameter
            """,
        good="""
            model.bias.requires_grad_(True)
            optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
            """,
        setup="""
            import torch
            from torch import nn

            model = nn.Linear(4, 2)
            model.requires_grad_(False)
            """,
        harm=ValueError,
    ),
    Example(
        bad="""
            optimizer = torch.optim.Adam(scale, lr=0.1)
                                         ^^^^^ is one tensor
            """,
        good="""
            optimizer = torch.optim.Adam([scale], lr=0.1)
            """,
        setup="import torch\n\nscale = torch.ones(3, requires_grad=True)",
        harm=TypeError,
    ),
    Example(
        bad="""
            optimizer = torch.optim.SGD([{"params": a.parameters()}, {"params": b.parameters()}], lr=0.1)
                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has a parameter in two groups
            """,
        good="""
            optimizer = torch.optim.SGD([{"params": a.parameters()}, {"params": [b.bias]}], lr=0.1)
            """,
        setup="import torch\nfrom torch import nn\n\na, b = nn.Linear(2, 2), nn.Linear(2, 2)\nb.weight = a.weight",
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Trainer:
        def __init__(self):
            self.params = []

        def add(self, layer):
            self.params += list(layer.parameters())

        def start(self):
            self.optimizer = torch.optim.SGD(self.params, lr=0.1)

    trainer = Trainer()
    trainer.add(nn.Linear(2, 2))
    trainer.start()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("argument"):
        for broken in call.breaks("argument") if call.tagged("optimizer") else ():
            if (operand := call[broken.param]) is not None:
                module = broken.got == "a module"
                fix = append_to(operand.at, ".parameters()", "Hand over its parameters") if module else None
                yield operand.flag(_words(call, str(broken.got), broken.param), fix=fix)


def _words(call: Call, got: str, name: str) -> str:
    match got:
        case "a module":
            return "is a module: an optimizer takes its `parameters()`"
        case "an empty list":
            return "holds no parameter: the optimizer refuses to be made"
        case "in two groups":
            return "has a parameter in two groups (layers may share it): the optimizer refuses that"
        case "a tensor":
            return "is one tensor: an optimizer takes parameters in a list or an iterator"
    return f"`{name}` is {got}: `{call.name}` takes none below 0"
