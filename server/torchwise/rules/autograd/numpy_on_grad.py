"""A tensor that requires grad is turned into an array.

numpy knows no gradients, so torch refuses. Detach it first: `.detach().cpu().numpy()`; or compute it under
`torch.no_grad()`. For one
number, `.item()` is enough.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW203", ERROR, "02-tensors/making#from-gpu-and-autograd-to-numpy"

EXAMPLES = [
    Example(
        bad="""
            curve = model(points).numpy()
                    ^^^^^^^^^^^^^^^^^^^^^ `model(points)` requires grad
            """,
        good="""
            curve = model(points).detach().numpy()
            """,
        setup="""
            import torch
            from torch import nn

            model, points = nn.Linear(1, 1), torch.randn(5, 1)
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            kept = images.numpy()
                   ^^^^^^^^^^^^^^ `images` is on meta
            """,
        good="""
            kept = torch.zeros(images.shape).numpy()
            """,
        setup="""
            import torch

            images = torch.empty(2, 3, device="meta")
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model, points = nn.Linear(1, 1), torch.randn(5, 1)
    with torch.no_grad():
        curve = model(points).numpy()  # has no graph
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    yield from _elsewhere(scope)
    for call in scope.calls_that_break("requires-grad"):
        for broken in call.breaks("requires-grad"):
            tensor = call[broken.param]
            if tensor is None:
                continue
            direct = broken.param == "self" and tensor.at != call.at
            if tensor.tensor is None:
                yield call.flag(
                    f"{tensor.quoted} holds tensors that require grad: they cannot be turned into an array"
                )
                break
            fix = append_to(tensor.at, ".detach()", "Detach it first") if direct else None
            yield call.flag(
                f"{tensor.quoted} requires grad: it cannot be turned into an array before `.detach()`",
                fix=fix,
            )
            break


def _elsewhere(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("device"):
        for broken in call.breaks("device"):
            tensor = call["self"]
            if call.op == "numpy" and tensor is not None and not call.chooses_device(broken):
                where = call.place_of(broken)
                fix = append_to(tensor.at, ".cpu()", "Bring it to the CPU first") if where != "meta" else None
                yield call.flag(f"{tensor.quoted} is on {where}: an array needs it on the CPU", fix=fix)
