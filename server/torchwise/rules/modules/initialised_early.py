"""An initialiser is applied before the layers are there.

`self.apply(init)` goes through the modules that are registered at that moment. In the `__init__` of a base class a
subclass has not built its layers yet: nothing is initialised, and nothing is said. Call it at the end of the
subclass's `__init__`, from a method that each subclass calls last.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.apply
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW438", WARNING, "04-neural-networks/layers#starting-weights"

EXAMPLES = [
    Example(
        bad="""
            class Base(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.apply(self.begin)
                    ^^^^^^^^^^^^^^^^^^^^^^ is applied before `Linear`

                def begin(self, module):
                    if isinstance(module, nn.Linear):
                        nn.init.zeros_(module.weight)

            class Classifier(Base):
                def __init__(self):
                    super().__init__()
                    self.head = nn.Linear(4, 2)

            model = Classifier()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            """,
        good="""
            class Base(nn.Module):
                def begin(self, module):
                    if isinstance(module, nn.Linear):
                        nn.init.zeros_(module.weight)

            class Classifier(Base):
                def __init__(self):
                    super().__init__()
                    self.head = nn.Linear(4, 2)
                    self.apply(self.begin)

            model = Classifier()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: bad["model"].head.weight.any() and not good["model"].head.weight.any(),
    ),
]

SETUP = """
    import torch
    from torch import nn

    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.build()
            self.apply(self.begin)

        def build(self):
            pass

        def begin(self, module):
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.weight)
"""
SILENT = [
    SETUP
    + """
    class Classifier(Base):
        def build(self):
            self.head = nn.Linear(4, 2)  # before it is applied

    class Encoder(Base):
        def __init__(self):
            super().__init__()
            self.convolution = nn.Conv1d(4, 4, 3)  # which it leaves as it is

    class Own(Base):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(4, 2)
            nn.init.orthogonal_(self.head.weight)  # its own way
            nn.init.zeros_(self.head.bias)

    for made in (Classifier(), Encoder(), Own()):
        optimizer = torch.optim.SGD(made.parameters(), lr=0.1)
    """,
    SETUP
    + """
    class Classifier(Base):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(4, 2)

    model = Classifier()
    model.load_state_dict(torch.load("model.pt", weights_only=True))  # other weights anyway
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for used in scope.happenings("applied-early"):
        applied, layer = used.because
        yield Flag(
            applied,
            f"is applied before `{used.detail.rpartition('.')[2]}` is there, which keeps the weights that torch "
            "gave it",
            because=((layer, "made here"), (used.at, "and used here")),
        )
