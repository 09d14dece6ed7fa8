"""`torch.where` leaves out what is not a number, and its gradient is not a number all the same.

Both branches are computed for all elements, and both are differentiated: what is not chosen gets a gradient of 0, times
the derivative of `sqrt` or `log` at 0, which is infinite, and 0 times infinity is NaN. Choose what goes into the root, not
what comes out: `torch.where(x > 0, x, 1.0).sqrt()`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.where.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW224", WARNING, "03-autograd/control#gradients-that-are-not-numbers"


def _not_a_number(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bool(bad["rows"].grad.isnan().any() and good["rows"].grad.isfinite().all())  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            roots = torch.where(rows > 0, rows.sqrt(), 0.0)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has a NaN gradient where `rows.sqrt()` is left out
            roots.sum().backward()
            """,
        good="""
            roots = torch.where(rows > 0, rows, 1.0).sqrt() * (rows > 0)
            roots.sum().backward()
            """,
        setup="""
            import torch

            rows = torch.zeros(4, 3, requires_grad=True)
            """,
        harm=_not_a_number,
    ),
    Example(
        bad="""
            filled = counts > 0
            means = torch.where(filled, rows / counts, torch.zeros_like(rows))
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has a NaN gradient where `rows / counts` is left out
            means.sum().backward()
            """,
        good="""
            filled = counts > 0
            means = rows / torch.where(filled, counts, 1.0) * filled
            means.sum().backward()
            """,
        setup="""
            import torch

            rows = torch.ones(2, requires_grad=True)
            counts = torch.tensor([0.0, 2.0])
            """,
        harm=_not_a_number,
    ),
]

SILENT = [
    """
    import torch

    rows, kept = torch.randn(4, 3, requires_grad=True), torch.rand(4, 3) > 0.5
    roots = torch.where(kept, rows.exp().sqrt(), 0.0)  # a test of something else
    chosen = torch.where(rows > 0, rows, 1.0)
    safe = torch.where(rows > 0, chosen.sqrt(), 0.0)  # chosen before
    peak, limit = rows.abs().max(), torch.tensor(2.0)
    limited = torch.where(peak > limit, rows * (limit / peak), rows)  # far from 0
    """,
    """
    import torch

    with torch.no_grad():
        rows = torch.randn(4, 3)
        roots = torch.where(rows > 0, rows.sqrt(), 0.0)  # never differentiated
    """,
]
COMPARES = ("gt", "ge", "lt", "le", "ne", "eq")
INFINITE = ("sqrt", "rsqrt", "log", "log2", "log10", "reciprocal", "div")


def check(scope: Reading) -> Iterator[Flag]:
    for choice in scope.calls_to("where"):
        test = choice["condition"]
        tested = {_kept_from_zero(c) for c in scope.calls_within(test.ref)} if test is not None else set()
        branches = [b for b in (choice["input"], choice["other"]) if b is not None]
        inside = [call for b in branches for call in scope.calls_within(b.ref)]
        left_out = next((c for c in inside if _within(c) in tested and c.result_needs_grad), None)
        if left_out is not None:
            yield choice.flag(
                f"has a NaN gradient where `{left_out.text}` is left out: choose what goes into it, not what "
                "comes out",
                because=((left_out.at, "computed, and differentiated, for all elements"),),
            )


def _kept_from_zero(test: Call) -> str:
    """What a comparison tells apart from 0, or from very little, as its text."""
    left, right = test["input"], test["other"]
    bound = right.constant if test.op in COMPARES and right is not None else None
    near = isinstance(bound, int | float) and 0 <= bound <= 1e-3
    return left.text if near and left is not None else ""


def _within(call: Call) -> str:
    """What makes a derivative infinite where it is 0, as a name."""
    within = None if call.op not in INFINITE else call["other"] if call.op == "div" else call["input"]
    return within.text if within is not None and within.text.isidentifier() else "."
