"""A second `backward` goes through a graph that the first one has freed.

`backward` frees what the graph has saved as it goes. What is reached again later raises: the same loss, an
encoding
shared by two losses, a hidden state that is carried from batch to batch with its history.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW108", ERROR, "03-autograd/graph#used-once"

EXAMPLES = [
    Example(
        bad="""
            encoded = torch.tanh(encoder(features))
            head(encoded).mean().backward()
            encoded.pow(2).mean().backward()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ goes again through `linear`
            """,
        good="""
            encoded = torch.tanh(encoder(features))
            (head(encoded).mean() + encoded.pow(2).mean()).backward()
            """,
        setup="""
            import torch
            from torch import nn

            encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
            features = torch.ones(2, 4)
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            state = None
            for window in windows:
                made, state = rnn(window, state)
                made.mean().backward()
                ^^^^^^^^^^^^^^^^^^^^^^ goes back through `rnn` of a turn before
            """,
        good="""
            state = None
            for window in windows:
                made, state = rnn(window, state)
                made.mean().backward()
                state = state.detach()
            """,
        setup="""
            import torch
            from torch import nn

            rnn, windows = nn.RNN(4, 8), [torch.ones(5, 2, 4)] * 2
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def train(cell, batches, optimizer, state):
        for batch in batches:
            state = cell(batch, state.detach())  # its history ends here
            optimizer.zero_grad()
            state.mean().backward()
            optimizer.step()
    """,
    """
    import torch

    weight = torch.ones(3, requires_grad=True)
    total = (weight + 1).sum()
    total.backward()
    total.backward()  # an addition keeps nothing, so nothing was freed
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.happenings("freed-graph"):
        node = backward.because[0]
        if backward.same_turn(node):
            yield backward.flag(
                f"goes again through `{backward.detail}`, whose saved tensors an earlier backward has freed",
                because=((node, "recorded here"),),
            )
        elif not scope.holds(node):
            yield backward.flag(
                "goes again through a graph that comes from outside, and that an earlier backward has freed",
                because=((node, "handed in here"),),
            )
        elif backward.same_loop(node):
            if not backward.next_turn(node):
                continue
            yield backward.flag(
                f"goes back through `{backward.detail}` of a turn before, whose backward has freed it",
                because=((node, "recorded here in an earlier turn"),),
            )
        else:
            yield Flag(
                scope.here(node),
                "is recorded once and differentiated again later, when its graph is freed: that backward "
                "raises",
                because=((backward.at, "goes through it again"),),
            )
