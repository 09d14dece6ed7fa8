"""Evaluation leaves the model in eval mode, and training goes on in it.

After `model.eval()` inside the epoch loop nothing calls `model.train()` again: from the next turn on
Dropout is off and
BatchNorm neither uses nor updates batch statistics. Training still runs, as another model than the first
epoch did.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, insert_in_body, insert_in_loop_around
from torchwise.rules.vocabulary import WARNING, Example, Flag, Happening, Reading, Site

CODE, LEVEL, LESSON = "TW104", WARNING, "07-training/loop#two-modes"

EXAMPLES = [
    Example(
        bad="""
            for epoch in range(3):
                optimizer.zero_grad()
                model(batch).pow(2).mean().backward()
                optimizer.step()
                modes.append(model.training)
                model.eval()
                ^^^^^^^^^^^^ training goes on in eval mode
                with torch.no_grad():
                    print(model(batch).mean().item())
            """,
        good="""
            for epoch in range(3):
                model.train()
                optimizer.zero_grad()
                model(batch).pow(2).mean().backward()
                optimizer.step()
                modes.append(model.training)
                model.eval()
                with torch.no_grad():
                    print(model(batch).mean().item())
            """,
        setup="""
            import torch
            from torch import nn

            model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            batch = torch.ones(8, 4)
            modes = []
            """,
        harm=lambda bad, good: bad["modes"] == [True, False, False] and good["modes"] == [True, True, True],
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.eval()  # on purpose: statistics stay frozen for the whole training
    for batch in [torch.ones(8, 4)] * 2:
        optimizer.zero_grad()
        model(batch).mean().backward()
        optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.seen("eval-mode-step"):
        forward, evaluated = step.because
        yield Flag(
            evaluated,
            "training goes on in eval mode: nothing calls `train()` before the next training step",
            because=((forward, "called here in eval mode"), (step.at, "and trained by this step")),
            fix=_restored(scope, step, forward, evaluated),
        )


def _restored(scope: Reading, step: Happening, forward: Site, evaluated: Site) -> FixPlan | None:
    """First thing in each turn of the loop that evaluates, and so before the training in it."""
    evaluates = scope.text_at(evaluated).removesuffix(".eval()")
    if scope.holds(evaluated) or scope.from_caller(evaluated):
        model, at = evaluates, evaluated
    else:  # a function that is called here does
        model, at = scope.text_at(forward).partition("(")[0], step.at
    if not model.replace(".", "").isidentifier():
        return None
    train, title = f"{model}.train()", f"Call `{model}.train()` in each turn"
    if at == evaluated:
        return insert_in_loop_around(at, train, title, safe=False)
    loop = step.outermost
    return (
        insert_in_body(loop, train, title, safe=False) if scope.holds(forward) and loop != step.at else None
    )
