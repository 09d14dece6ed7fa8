"""A training loop computes gradients, clears them, and never steps with them.

Everything runs and the loss is printed, but the weights stay what they were.

Source: https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
"""

from collections.abc import Iterator

from torchwise.fixes.edits import insert_after
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW150", WARNING, "05-optimizers/optimizers#one-step-by-hand"

EXAMPLES = [
    Example(
        bad="""
            for features, target in batches:
                optimizer.zero_grad()
                ^^^^^^^^^^^^^^^^^^^^^ clears gradients that nothing has used
                loss = F.mse_loss(head(features), target)
                loss.backward()
                losses.append(loss.item())
            """,
        good="""
            for features, target in batches:
                optimizer.zero_grad()
                loss = F.mse_loss(head(features), target)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            """,
        setup="""
            import torch
            import torch.nn.functional as F
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches, losses = [(torch.ones(8, 4), torch.zeros(8, 1))] * 3, []
            """,
        harm=lambda bad, good: (
            bad["losses"][0] == bad["losses"][-1] and good["losses"][0] > good["losses"][-1]
        ),  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    def warmed():
        head = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            head(torch.ones(2, 4)).mean().backward()
        return optimizer  # whoever gets it may step
    """,
    """
    import torch
    import torch.nn.functional as F
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    norms = []
    for _ in range(3):
        optimizer.zero_grad()
        head(torch.ones(2, 4)).mean().backward()
        norms.append(head.weight.grad.norm().item())  # looked at alone
    """,
    """
    import torch
    from torch import nn

    class Loop:
        def __init__(self):
            self.head = nn.Linear(4, 1)
            self.optimizer = torch.optim.SGD(self.head.parameters(), lr=0.1)

        def gather(self):
            for _ in range(3):
                self.optimizer.zero_grad()
                self.head(torch.ones(2, 4)).mean().backward()

        def update(self):
            self.optimizer.step()  # elsewhere
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    idle = scope.happenings("optimizer-idle")
    if not idle or scope.mentions("grad", "grads", "gradients") or scope.has_method("step"):
        return
    flagged = set()
    for clear in scope.happenings("cleared-unused"):
        if not clear.loops or clear.value not in [one.value for one in idle]:
            continue
        backward, made = clear.because[0], scope.made(clear.value, "made here")
        flagged.add(backward.place)
        optimizer = clear.text.removesuffix(".zero_grad()")
        named = optimizer != clear.text and optimizer.replace(".", "").isidentifier()
        yield clear.flag(
            "clears gradients that nothing has used: this loop never steps",
            because=((backward, "computed here"), *made),
            fix=insert_after(backward, f"{optimizer}.step()", "Step after the backward", safe=False)
            if named and scope.holds(backward)
            else None,
        )
    for one in idle:
        if one.because[0].place not in flagged:
            yield Flag(
                one.because[0],
                "gives gradients to what an optimizer holds that never steps: it clears them, and that is all",
                because=scope.made(one.value, "made here"),
            )
