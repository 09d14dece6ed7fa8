"""`gradcheck` is run on inputs in single precision, or on none that require grad.

It compares gradients with differences of nearby values. With the default step of 1e-6, single precision leaves no digit of
these differences, so that right gradients fail. Use inputs in float64 that require grad.

Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW218", WARNING, "03-autograd/custom#gradcheck"

EXAMPLES = [
    Example(
        bad="""
            angles = torch.randn(8, requires_grad=True)
            torch.autograd.gradcheck(torch.sin, (angles,))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ compares differences of float32
            """,
        good="""
            angles = torch.randn(8, requires_grad=True, dtype=torch.float64)
            torch.autograd.gradcheck(torch.sin, (angles,))
            """,
        setup="""
            import torch
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            angles = torch.randn(8, generator=drawn, requires_grad=True)
            torch.autograd.gradcheck(torch.sin, (angles,), eps=1e-6, atol=1e-4)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ compares differences of float32
            """,
        good="""
            angles = torch.randn(8, generator=drawn, requires_grad=True, dtype=torch.float64)
            torch.autograd.gradcheck(torch.sin, (angles,), eps=1e-6, atol=1e-4)
            """,
        setup="""
            import torch

            drawn = torch.Generator().manual_seed(0)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    rows = torch.randn(4, 3, requires_grad=True)
    torch.autograd.gradcheck(torch.sin, (rows,), eps=1e-3, atol=1e-2)  # with a step that fits
    """,
    """
    import torch

    rows, index = torch.randn(4, 3, dtype=torch.float64, requires_grad=True), torch.tensor([0, 2])
    torch.autograd.gradcheck(lambda x, i: x[i].pow(2), (rows, index))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("torch.autograd.gradcheck", "torch.autograd.gradgradcheck"):
        inputs = call["inputs"]
        if inputs is None or call.is_open or not (_fine(call["eps"], 1e-5) and _fine(call["atol"], 1e-3)):
            continue
        single = [
            t.dtype
            for t in inputs.tensors
            if t.requires_grad.holds and t.dtype in ("float32", "float16", "bfloat16")
        ]
        if single:
            yield call.flag(f"compares differences of {single[0]}, of which no digit is right: use float64")


def _fine(asked: Operand | None, least: float) -> bool:
    """Whether a step or a tolerance is left at its default, or smaller than single precision can bear."""
    number = asked.constant if asked is not None else 0.0
    return isinstance(number, int | float) and number <= least
