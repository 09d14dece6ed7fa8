"""The batch is taken for time, or time for the batch, in a recurrent or attention layer.

`nn.LSTM`, `nn.MultiheadAttention` and the transformer layers take (time, batch, features) unless they are made with `batch_first=True`. Then
`out[:, -1]` is not the last step but the last example, and `out.mean(dim=1)` mixes the examples of a batch. A 2-d input is one sequence
without a batch, also with `batch_first=True`: attention then goes over the examples.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW328", WARNING, "04-neural-networks/sequences#recurrent-layers"


def _is_blind(bad: dict[str, object], good: dict[str, object]) -> bool:
    """The answer for an example does not depend on its first step."""
    return bool(good["seen"]) and not bad["seen"]


RUN = """
    import torch
    from torch import nn

    def sees_first_step(model):
        x = torch.randn(4, 6, 3)
        other = x.clone()
        other[0, 0] += 1
        return not torch.allclose(model(x)[0], model(other)[0])

    """

EXAMPLES = [
    Example(
        bad="""
            class Tagger(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rnn = nn.GRU(3, 8)

                def forward(self, x):
                    steps, _ = self.rnn(x)
                               ^^^^^^^^^^^ gives (time, batch, features), but is used as if the batch came first
                    return steps[:, -1]

            seen = sees_first_step(Tagger())
            """,
        good="""
            class Tagger(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rnn = nn.GRU(3, 8, batch_first=True)

                def forward(self, x):
                    steps, _ = self.rnn(x)
                    return steps[:, -1]

            seen = sees_first_step(Tagger())
            """,
        setup=RUN,
        harm=_is_blind,
    ),
]

SILENT = [
    """
    from torch import nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = nn.GRU(3, 8)

        def forward(self, x):
            steps, _ = self.rnn(x.transpose(0, 1))
            return steps[-1], steps.transpose(0, 1)[:, -1], steps.mean(dim=0)  # time comes first, and is taken so
    """,
]

REDUCTIONS = ("mean", "sum", "max", "amax")


def check(scope: Reading) -> Iterator[Flag]:
    if not scope.in_module:
        return
    for call in scope.calls_to("getitem", *REDUCTIONS):
        source = call["input"] or call["self"]
        if source is None or source.nature != "time-first" or source.made_by_nature is None:
            continue
        index, dim = call["index"], call["dim"]
        if call.op == "getitem":
            wrong = "takes an example, not a step" if index is not None and index.takes_from_axis_1 else ""
        else:
            wrong = "mixes the examples of the batch" if dim is not None and dim.constant == 1 else ""
        if wrong:
            yield Flag(
                source.made_by_nature,
                f"gives (time, batch, features), but is used as if the batch came first: `{call.text}` "
                f"{wrong}",
                because=((call.at, wrong),),
            )
    for call in scope.calls_to("multi_head_attention", "transformer"):
        query = call["query"] or call["src"] or call["tgt"]
        if query is not None and call.result_nature == "unbatched":
            yield call.flag(
                f"{query.quoted} is {query.sizes}: 2-d is one sequence without a batch, so "
                "that attention goes over its rows"
            )
