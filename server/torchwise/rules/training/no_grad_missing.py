"""An evaluation builds an autograd graph that nothing ever uses.

Outside `torch.no_grad()` every forward of a model with trainable parameters keeps its activations for a
backward that
never comes: evaluation takes more memory and time than it needs, and scores that are collected keep whole
graphs alive.

Source: https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import decorate
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW103", WARNING, "07-training/loop#evaluating"

EXAMPLES = [
    Example(
        bad="""
            def evaluate(loader):
                model.eval()
                for batch in loader:
                    out = model(batch)
                          ^^^^^^^^^^^^ builds a graph that nothing differentiates
                    kept.append(out.grad_fn)
                return 0.0
            evaluate(held_out)
            """,
        good="""
            @torch.no_grad()
            def evaluate(loader):
                model.eval()
                for batch in loader:
                    out = model(batch)
                    kept.append(out.grad_fn)
                return 0.0
            evaluate(held_out)
            """,
        setup="""
            import torch
            from torch import nn

            model = nn.Linear(4, 1)
            held_out = [torch.ones(8, 4)]
            kept = []
            """,
        harm=lambda bad, good: bad["kept"][0] is not None and good["kept"][0] is None,  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    def test_the_shape_of_scores():
        net = nn.Linear(3, 2).eval()
        for rows in (1, 4):
            assert net(torch.randn(rows, 3)).shape == (rows, 2)  # a test of code
    """,
    """
    import torch
    from torch import nn

    model = nn.Linear(4, 1)

    def predict(batch):
        return model(batch)  # what it returns may be differentiated

    predict(torch.ones(8, 4))
    """,
    """
    import torch
    from torch import nn

    def settled(batches):
        model = nn.Sequential(nn.Linear(4, 2, bias=False), nn.BatchNorm1d(2)).train()
        for batch in batches:
            model(batch)  # gathers statistics
        print(model.eval()(torch.ones(8, 4)).shape)

    settled([torch.ones(8, 4)])
    """,
    """
    import torch
    from torch import nn

    def test():  # that it runs, no more
        layer = nn.Conv2d(3, 8, 3)
        layer.eval()
        layer(torch.randn(2, 3, 16, 16))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if not scope.evaluates or scope.differentiates or scope.returns_graph or scope.left_to_base:
        return
    inside = {inner.ref for inner in scope.seen("differentiates")}  # forces, penalties, steps of their own
    for forward in scope.happenings("graph-forward"):
        if forward.ref in inside:
            continue
        if scope.returns_graph is None and not (forward.in_loop and scope.sets_eval):
            continue  # what it returns may be differentiated by who gets it
        if forward.tries_out or (forward.detail == "training" and not scope.used(forward.ref)):
            continue  # called for what it does to running statistics, perhaps
        if not forward.in_loop and not scope.evaluates_by_name:
            continue  # one call in a program that also does other things
        yield forward.flag(
            f"`{forward.text}` builds a graph that nothing differentiates: this evaluation runs without "
            "`torch.no_grad()`",
            fix=decorate(
                forward.at, "@torch.no_grad()", "Decorate the function with `torch.no_grad()`", safe=False
            ),
        )
        return
