"""Two modules are made to share a weight, and then one of them gets another one.

Tying is assigning the same Parameter (`head.weight = embedding.weight`). A later assignment of a new
Parameter, or of a new layer in the place of one of the two, unties them without a word: they are trained
apart and saved twice. Change a tied weight in place (`nn.init.normal_(weight)`), or tie after all else.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW418", WARNING, "04-neural-networks/modules#sharing-weights"

EXAMPLES = [
    Example(
        bad="""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.embedding = nn.Embedding(5, 3)
                    self.head = nn.Linear(3, 5, bias=False)
                    self.head.weight = self.embedding.weight
                    ^^^^^^^^^^^^^^^^ is tied here, but another one takes its place afterwards
                    self.begin()

                def begin(self):
                    for module in self.modules():
                        if isinstance(module, nn.Linear):
                            module.weight = nn.Parameter(torch.zeros_like(module.weight))

            model = Model()
            tied = model.head.weight is model.embedding.weight
            """,
        good="""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.embedding = nn.Embedding(5, 3)
                    self.head = nn.Linear(3, 5, bias=False)
                    self.head.weight = self.embedding.weight
                    self.begin()

                def begin(self):
                    for module in self.modules():
                        if isinstance(module, nn.Linear):
                            nn.init.zeros_(module.weight)

            model = Model()
            tied = model.head.weight is model.embedding.weight
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: good["tied"] and not bad["tied"],
    ),
    Example(
        bad="""
            model = Model()
            model.embedding = nn.Embedding.from_pretrained(vectors, freeze=False)
            ^^^^^^^^^^^^^^^ takes the place of one half of a tie
            tied = model.head.weight is model.embedding.weight
            """,
        good="""
            model = Model()
            model.embedding = nn.Embedding.from_pretrained(vectors, freeze=False)
            model.head.weight = model.embedding.weight
            tied = model.head.weight is model.embedding.weight
            """,
        setup="""
            import torch
            from torch import nn

            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.embedding = nn.Embedding(5, 3)
                    self.head = nn.Linear(3, 5, bias=False)
                    self.head.weight = self.embedding.weight

            vectors = torch.randn(5, 3)
            """,
        harm=lambda bad, good: good["tied"] and not bad["tied"],
    ),
]

SILENT = [
    """
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(5, 3)
            self.head = nn.Linear(3, 5, bias=False)
            self.tie()
            self.embedding = nn.Embedding(7, 3)
            self.tie()  # tied again

        def tie(self):
            self.head.weight = self.embedding.weight
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for tie in scope.seen("untied"):
        tied, replaced = tie.because
        if not scope.name:  # the model was whole before
            yield Flag(
                replaced,
                f"takes the place of one half of a tie: `{tie.detail}` is shared no more",
                because=((tied, "tied here"),),
            )
            continue
        yield Flag(
            tied,
            f"`{tie.detail}` is tied here, but another one takes its place afterwards",
            because=((replaced, "another one takes its place here"),),
        )
