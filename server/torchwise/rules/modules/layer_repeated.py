"""A container holds one layer several times.

`[layer] * 3` is a list of one layer three times over: the copies share all their weights, so the stack has
the parameters of a single layer. Make a new one each time: `[nn.Linear(n, n) for _ in range(3)]`, or
`copy.deepcopy`. It is the same with `dict.fromkeys(names, layer)`. Layers without parameters can be shared freely, and so can weights that are shared on
purpose.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW421", WARNING, "04-neural-networks/modules#containers"

EXAMPLES = [
    Example(
        bad="""
            tower = nn.ModuleList([nn.Linear(4, 4)] * 3)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ holds one layer several times
            known = len(list(tower.parameters()))
            """,
        good="""
            tower = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
            known = len(list(tower.parameters()))
            """,
        setup="from torch import nn",
        harm=lambda bad, good: bad["known"] == 2 and good["known"] == 6,
    ),
    Example(
        bad="""
            heads = nn.ModuleDict(dict.fromkeys(["age", "height"], nn.Linear(4, 1)))
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ holds one layer several times
            known = len(list(heads.parameters()))
            """,
        good="""
            heads = nn.ModuleDict({name: nn.Linear(4, 1) for name in ["age", "height"]})
            known = len(list(heads.parameters()))
            """,
        setup="from torch import nn",
        harm=lambda bad, good: bad["known"] == 2 and good["known"] == 4,
    ),
]

SILENT = [
    """
    from torch import nn

    activation = nn.ReLU()
    tower = nn.Sequential(nn.Linear(4, 4), activation, nn.Linear(4, 4), activation)
    shared = nn.Linear(4, 4)
    recurrent = nn.Sequential(*[shared] * 3)  # by its name
    """,
    """
    from torch import nn

    project = nn.Linear(4, 4)
    both = nn.ModuleDict({"query": project, "key": project})  # said for each of them
    drops = nn.ModuleDict(dict.fromkeys(["query", "key"], nn.Dropout(0.1)))  # nothing to learn
    """,
]
ON_PURPOSE = re.compile(r"shar|tied|tie_|recur|siamese|universal|loop", re.IGNORECASE)


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("repeated"):
        for broken in call.breaks("repeated"):
            words = (call.text, scope.class_name, *scope.names_of(call.ref))
            layers = call["modules"]
            named = (
                layers is not None and layers.spelled_out and call.op == "ModuleDict"
            )  # one by one, so meant
            if not named and not any(ON_PURPOSE.search(word) for word in words):
                yield call.flag(
                    "this holds one layer several times: they share all their weights",
                    because=scope.made(broken.because, "the layer"),
                )
