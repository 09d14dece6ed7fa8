"""An optimizer steps again and again on gradients that nothing ever clears.

`backward` adds to `.grad`. An optimizer that steps with gradients it has already used moves along the sum
of all
gradients so far: the steps grow, directions of old batches stay in, and training is slow or blows up for
no visible
reason. Accumulating over several batches on purpose is not this: there the gradients are cleared after
each step.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, insert_after, insert_before, insert_in_loop_around
from torchwise.rules.vocabulary import WARNING, Example, Flag, Happening, Reading, Site

CODE, LEVEL, LESSON = "TW101", WARNING, "05-optimizers/optimizers#clearing-gradients"


def _twice_as_far(bad: dict[str, object], good: dict[str, object]) -> bool:
    """Without clearing, the second step uses both gradients."""
    return bad["head"].weight.grad.abs().sum() > 1.5 * good["head"].weight.grad.abs().sum()  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            for features, target in batches:
                loss = F.mse_loss(head(features), target)
                loss.backward()
                ^^^^^^^^^^^^^^^ adds to gradients that `optimizer.step()` has already used
                optimizer.step()
            """,
        good="""
            for features, target in batches:
                loss = F.mse_loss(head(features), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            torch.manual_seed(0)
            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=1e-4)
            batches = [(torch.ones(8, 4), torch.zeros(8, 1) + 5)] * 2
            """,
        harm=_twice_as_far,
    ),
]

SILENT = [
    """
    import torch

    def train(model, loader, optimizer, every):
        for step, (x, y) in enumerate(loader):
            loss = (model(x) - y).pow(2).mean() / every
            loss.backward()
            if (step + 1) % every == 0:  # accumulated on purpose, and cleared with the step
                optimizer.step()
                optimizer.zero_grad()
    """,
    """
    import torch

    def train(model, loader, optimizer, clear):
        for x, y in loader:
            loss = (model(x) - y).pow(2).mean()
            loss.backward()
            optimizer.step()
            clear(optimizer)  # may clear them
    """,
    """
    import torch
    from elsewhere import make_model

    def train(loader):
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in loader:
            model.zero_grad()  # of an object that nothing is known of
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.happenings("stale-step"):
        backward, used = (*step.because, step.at)[:2]
        yield Flag(
            backward,
            f"adds to gradients that `{scope.text_at(used)}` has already used: nothing clears them "
            "between the two",
            because=((step.at, "these gradients are stepped with again"),),
            fix=_clear(scope, step, backward),
        )


def _clear(scope: Reading, step: Happening, backward: Site) -> FixPlan | None:
    """Before the backward; where that is another function's, first thing in the turn; and after a step that is not
    made in every turn, as its gradients are gathered on purpose.
    """
    optimizer = step.text.removesuffix(".step()")
    if optimizer == step.text or not optimizer.replace(".", "").isidentifier():
        return None
    clear = f"{optimizer}.zero_grad()"
    if step.sometimes:
        return insert_after(step.at, clear, f"Call `{clear}` after the step")
    if scope.call_at(backward):
        return insert_before(backward, clear, f"Call `{clear}` first")
    return insert_in_loop_around(step.at, clear, f"Call `{clear}` first in each turn", safe=False)
