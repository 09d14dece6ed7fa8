"""`retain_graph=True` in a loop whose graphs nothing uses again.

It keeps what `backward` would free. Where each turn builds its own graph and differentiates it once, that
is memory for
nothing; where a state is carried from turn to turn with its history, it hides an error: every backward
goes through all
turns before, and takes longer each time. Detach the state instead.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW123", HINT, "03-autograd/graph#used-once"

EXAMPLES = [
    Example(
        bad="""
            for batch in batches:
                optimizer.zero_grad()
                loss = head(batch).mean()
                loss.backward(retain_graph=True)
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ keeps a graph that nothing else differentiates
                optimizer.step()
            """,
        good="""
            for batch in batches:
                optimizer.zero_grad()
                loss = head(batch).mean()
                loss.backward()
                optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches = [torch.ones(8, 4)]
            """,
    ),
]

SILENT = [
    """
    def rows(output, inputs):
        found = []
        for index in range(3):
            output[index].backward(retain_graph=True)  # one graph for all rows
            found.append(inputs.grad.clone())
            inputs.grad = None
        return found
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    passes = [*scope.calls_to("backward"), *scope.calls_to("grad")]
    for call in scope.calls_to("Tensor.backward"):
        kept, loss = call["retain_graph"], call["self"]
        if kept is None or loss is None or kept.constant is not True or not call.loops or len(passes) > 1:
            continue
        if scope.changes_in(call.loops[-1], loss.ref) and loss.origins:
            yield call.flag(
                "keeps a graph that nothing else differentiates: each turn of the loop builds its own"
            )
