"""A module is copied by `copy.copy`, and the copy is treated as if it had weights of its own.

A shallow copy holds the very same parameters, layers and buffers: members of an ensemble made this way are one
network, a target network follows each step of the other, and loading the weights of one into the other changes
nothing. `copy.deepcopy` gives it weights of its own. A copy that has other attributes (a convolution that shares its
weights under another dilation) is left alone.

Source: https://docs.python.org/3/library/copy.html
"""

import re
from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, Site

CODE, LEVEL, LESSON = "TW437", WARNING, "04-neural-networks/modules#containers"

EXAMPLES = [
    Example(
        bad="""
            members = nn.ModuleList([copy.copy(template) for _ in range(3)])
                                     ^^^^^^^^^^^^^^^^^^^ shares all its weights
            known = len(list(members.parameters()))
            """,
        good="""
            members = nn.ModuleList([copy.deepcopy(template) for _ in range(3)])
            known = len(list(members.parameters()))
            """,
        setup="import copy\n\nfrom torch import nn\n\ntemplate = nn.Sequential(nn.Linear(4, 4), nn.ReLU())",
        harm=lambda bad, good: bad["known"] == 2 and good["known"] == 6,
    ),
    Example(
        bad="""
            target = copy.copy(net)
                     ^^^^^^^^^^^^^^ shares all its weights
            nn.init.ones_(net.weight)
            behind = not target.weight.equal(net.weight)
            target.load_state_dict(net.state_dict())
            """,
        good="""
            target = copy.deepcopy(net)
            nn.init.ones_(net.weight)
            behind = not target.weight.equal(net.weight)
            target.load_state_dict(net.state_dict())
            """,
        setup="import copy\n\nfrom torch import nn\n\nnet = nn.Linear(4, 2)",
        harm=lambda bad, good: good["behind"] and not bad["behind"],
    ),
    Example(
        bad="""
            for rate in (0.1, 0.01):
                net = copy.copy(template)
                      ^^^^^^^^^^^^^^^^^^^ shares all its weights
                optimizer = torch.optim.SGD(net.parameters(), lr=rate)
            """,
        good="""
            for rate in (0.1, 0.01):
                net = copy.deepcopy(template)
                optimizer = torch.optim.SGD(net.parameters(), lr=rate)
            """,
        setup="import copy\n\nimport torch\nfrom torch import nn\n\ntemplate = nn.Linear(4, 2)",
        harm=lambda bad, good: (
            good["net"].weight is not good["template"].weight and bad["net"].weight is bad["template"].weight
        ),
    ),
]

SILENT = [
    """
    import copy

    import torch
    from torch import nn

    near = nn.Conv1d(4, 4, 3, padding=1)
    far = copy.copy(near)
    far.dilation, far.padding = (2,), (2,)
    scales = nn.ModuleList([near, far])  # the same weights under two dilations

    drop = nn.Dropout(0.1)
    drops = nn.ModuleList([copy.copy(drop), copy.copy(drop)])  # nothing to learn
    optimizer = torch.optim.SGD(scales.parameters(), lr=0.1)

    net, other = nn.Linear(4, 2), nn.Linear(4, 2)
    view = copy.copy(net)
    for one in (view, copy.deepcopy(view)):
        optimizer = torch.optim.SGD(one.parameters(), lr=0.1)  # the second has weights of its own
    view.load_state_dict(other.state_dict())

    block = nn.Linear(4, 4)
    shared_blocks = nn.ModuleList([copy.copy(block) for _ in range(3)])  # by its name
    """,
]
ON_PURPOSE = re.compile(r"shar|tied|tie_|recur|siamese|universal|loop", re.IGNORECASE)


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("shallow"):
        words = (call.text, scope.class_name, *scope.names_of(call.ref))
        if not any(ON_PURPOSE.search(word) for word in words):
            for broken in call.breaks("shallow"):
                for copied, _ in scope.made(broken.because, ""):
                    yield _flag(scope, copied, call.at)
    for made in scope.happenings("shallow-optimised"):
        yield _flag(scope, made.because[0], made.at)


def _flag(scope: Reading, copied: Site, used: Site) -> Flag:
    text = scope.text_at(copied)
    deep = text.replace("copy.copy(", "copy.deepcopy(", 1)
    return Flag(
        copied,
        "a shallow copy of a module shares all its weights: `copy.deepcopy` gives it its own",
        because=((used, "taken for another one here"),),
        fix=replace_with(copied, deep, "Copy it deeply") if text.startswith("copy.copy(") else None,
    )
