"""A training loop computes a loss and steps the optimizer, and nothing differentiates in between.

Parameters without gradients are skipped silently: the loop runs, the loss is printed, and the weights stay what they were.

Source: https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Happening, Reading

CODE, LEVEL, LESSON = "TW146", WARNING, "05-optimizers/optimizers#one-step-by-hand"

EXAMPLES = [
    Example(
        bad="""
            for features, target in batches:
                optimizer.zero_grad()
                loss = F.mse_loss(head(features), target)
                optimizer.step()
                ^^^^^^^^^^^^^^^^ steps without gradients
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
            before = head.weight.detach().clone()
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches = [(torch.ones(8, 4), torch.zeros(8, 1))] * 3
            losses = []
            """,
        harm=lambda bad, good: (
            bad["head"].weight.equal(bad["before"]) and not good["head"].weight.equal(good["before"])
        ),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F
    from torch import nn

    def train(fabric, batches):
        head = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        for features, target in batches:
            optimizer.zero_grad()
            fabric.backward(F.mse_loss(head(features), target))
            optimizer.step()
    """,
    """
    import torch
    from torch import nn

    def evolve(fitness):
        head = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(10):
            score = head(torch.ones(8, 4)).mean()
            for weight in head.parameters():
                weight.grad = fitness(score.item()) * torch.randn_like(weight)  # by hand
            optimizer.step()
    """,
    """
    import torch
    from torch import nn

    def updates(head, optimizer, losses):
        for loss in losses:
            weighted = loss * 0.5
            optimizer.step()  # the caller has differentiated
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    # `autograd.grad` fills nothing; who writes what it returned into `.grad` leaves no clear gradients behind
    filling = [c for c in scope.calls_tagged("differentiates") if c.spelling != "torch.autograd.grad"]
    if scope.calls_to("backward") or filling:
        return
    for step in scope.happenings("step-on-clear", always=True):
        loss = next((call for call in scope.calls() if _trains(call, step)), None)
        named = any(place.name == "backward" for place in scope.bare_attributes())
        if loss is not None and not named:
            yield step.flag(
                "steps without gradients: nothing in this loop differentiates a loss",
                because=((loss.at, "computed here"), *scope.made(step.value, "made here")),
            )


def _trains(call: Call, step: Happening) -> bool:
    """Whether it is a loss of what the optimizer holds, computed before the step in the same turn."""
    inside = bool(step.loops) and call.loops == step.loops and call.ref < step.ref
    return inside and call.result_needs_grad and call.gives_one_number and not call.under("grad", "off")
