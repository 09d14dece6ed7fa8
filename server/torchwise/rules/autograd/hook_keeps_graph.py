"""A forward hook collects the outputs that it sees together with their graphs.

The list keeps all that was computed for each output alive, step after step, although a backward has freed the graph or an
optimizer has moved the weights since: it can never be differentiated again. Memory grows with every call. Keep
`output.detach()`, or empty the list in each step.

Source: https://docs.pytorch.org/docs/stable/notes/faq.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW222", WARNING, "04-neural-networks/modules#hooks"

EXAMPLES = [
    Example(
        bad="""
            def keep(module, inputs, output):
                seen.append(output)
                ^^^^^^^^^^^^^^^^^^^ keeps the graph of every call alive

            handle = body.register_forward_hook(keep)
            for batch in batches:
                optimizer.zero_grad()
                head(body(batch)).square().mean().backward()
                optimizer.step()
            handle.remove()
            """,
        good="""
            def keep(module, inputs, output):
                seen.append(output.detach())

            handle = body.register_forward_hook(keep)
            for batch in batches:
                optimizer.zero_grad()
                head(body(batch)).square().mean().backward()
                optimizer.step()
            handle.remove()
            """,
        setup="""
            import torch
            from torch import nn

            body, head = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1)
            optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
            batches, seen = [torch.ones(8, 4)] * 3, []
            """,
        harm=lambda bad, good: (
            all(o.grad_fn is not None for o in bad["seen"]) and not any(o.grad_fn for o in good["seen"])  # type: ignore[attr-defined]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    teacher, student = nn.Linear(4, 8), nn.Linear(4, 8)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    seen = []
    student.register_forward_hook(lambda module, inputs, output: seen.append(output))
    for batch in [torch.ones(8, 4)] * 3:
        seen.clear()
        student(batch)
        optimizer.zero_grad()
        nn.functional.mse_loss(seen[0], teacher(batch).detach()).backward()  # what it is kept for
        optimizer.step()
    """,
    """
    import torch
    from torch import nn

    net = nn.Linear(4, 8)
    seen = []
    net.register_forward_hook(lambda module, inputs, output: seen.append(output))
    net(torch.ones(2, 4)).sum().backward()  # one look
    print(seen[0].grad_fn)
    """,
    """
    import torch
    from torch import nn

    class Watched:
        def __init__(self):
            self.net, self.seen = nn.Linear(4, 8), []
            self.net.register_forward_hook(self.keep)

        def keep(self, module, inputs, output):
            self.seen.append(output)

        def explain(self, batch):
            self.seen = []
            self.net(batch).sum().backward()
            return self.seen[0].mean()

    watched = Watched()
    for batch in [torch.ones(8, 4)] * 3:
        print(watched.explain(batch))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for kept in scope.happenings("hook-kept"):
        call = scope.call_made(kept.ref)
        item = call["item"] if call is not None else None
        loose = item is not None and item.text.replace(".", "").isidentifier() and item.tensor is not None
        yield kept.flag(
            "keeps the graph of every call alive, though it can never be differentiated again",
            fix=append_to(item.at, ".detach()", f"Keep `{item.text}.detach()`") if item and loose else None,
        )
