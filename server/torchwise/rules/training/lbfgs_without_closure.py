"""`LBFGS.step` gets no closure, or one that returns nothing.

LBFGS computes the loss anew at every point that it tries, some twenty times in a step. So it takes a function that clears the
gradients, computes the loss, differentiates it and returns it. Without one, or without what it returns, `step` raises.
A closure that does not clear the gradients adds up those of all points (missing-zero-grad).

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.LBFGS.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW144", ERROR, "05-optimizers/optimizers#other-rules"
SETUP = """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    features = torch.ones(8, 4)
    optimizer = torch.optim.LBFGS(head.parameters())
    """
GOOD = """
    def closure():
        optimizer.zero_grad()
        loss = head(features).square().mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    """

EXAMPLES = [
    Example(
        bad="""
            optimizer.zero_grad()
            loss = head(features).square().mean()
            loss.backward()
            optimizer.step()
            ^^^^^^^^^^^^^^^^ gets no closure
            """,
        good=GOOD,
        setup=SETUP,
        harm=TypeError,
    ),
    Example(
        bad="""
            def closure():
                optimizer.zero_grad()
                loss = head(features).square().mean()
                loss.backward()

            optimizer.step(closure)
            ^^^^^^^^^^^^^^^^^^^^^^^ gets a closure that returns nothing
            """,
        good=GOOD,
        setup=SETUP,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch

    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Adam([weight])
    weight.square().sum().backward()
    optimizer.step()  # the others do without
    """,
    """
    import torch

    def fit(weight, lbfgs, closure):
        optimizer = torch.optim.LBFGS([weight]) if lbfgs else torch.optim.Adam([weight])
        optimizer.step(closure)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.calls_to("torch.optim.LBFGS.step"):
        if any(broken.param == "closure" for broken in step.breaks("argument")):
            made = step["self"]
            where = made.places if made is not None else ()
            yield step.flag(
                "gets no closure: LBFGS computes the loss several times in a step",
                because=tuple((place, "made here") for place in where[:1]),
            )
    for nothing in scope.happenings("returns-nothing"):
        if nothing.ref not in scope.guarded:
            yield nothing.flag("gets a closure that returns nothing: LBFGS needs the loss that it computes")
