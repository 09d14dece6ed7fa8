"""A root of a sum of squares is differentiated, or something is divided by its norm, with nothing that keeps it from 0.

At 0 the derivative of `sqrt` is infinite, and times the derivative of the square, which is 0, gives NaN: one pair of equal rows is enough to make
all weights NaN. `x / x.norm()` is 0 / 0 for a zero row. Add a small number inside the root, clamp it, or use `F.normalize`,
`torch.cdist` and `torch.linalg.vector_norm`, which are safe.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW217", HINT, "03-autograd/control#gradients-that-are-not-numbers"


def _not_a_number(bad: dict[str, object], good: dict[str, object]) -> bool:
    return bool(bad["rows"].grad.isnan().any() and good["rows"].grad.isfinite().all())  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            gaps = rows.unsqueeze(0) - rows.unsqueeze(1)
            distances = gaps.pow(2).sum(dim=-1).sqrt()
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has a NaN gradient where the sum is 0
            distances.mean().backward()
            """,
        good="""
            gaps = rows.unsqueeze(0) - rows.unsqueeze(1)
            distances = gaps.pow(2).sum(dim=-1).clamp(min=1e-12).sqrt()
            distances.mean().backward()
            """,
        setup="""
            import torch

            rows = torch.randn(4, 3, requires_grad=True)
            """,
        harm=_not_a_number,
    ),
    Example(
        bad="""
            directions = rows / rows.norm(dim=1, keepdim=True)
                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is 0 / 0 for a zero row
            directions.sum().backward()
            """,
        good="""
            directions = torch.nn.functional.normalize(rows, dim=1)
            directions.sum().backward()
            """,
        setup="""
            import torch

            rows = torch.zeros(4, 3, requires_grad=True)
            """,
        harm=_not_a_number,
    ),
]

SILENT = [
    """
    import torch

    rows = torch.randn(4, 3, requires_grad=True)
    length = (rows.pow(2).sum(dim=1) + 1e-8).sqrt()
    safe = rows / rows.norm(dim=1, keepdim=True).clamp(min=1e-6)
    """,
    """
    import torch

    with torch.no_grad():
        rows = torch.randn(4, 3)
        length = rows.pow(2).sum(dim=1).sqrt()  # never differentiated
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for root in scope.calls_to("sqrt"):
        inside = root["input"]
        total = inside.made_only_by("sum", "mean") if inside is not None and inside.needs_grad else None
        if total is not None and (squares := total["input"]) is not None and _is_square(squares):
            yield root.flag("has a NaN gradient where the sum is 0: clamp it, or add a small number inside")
    for quotient in scope.calls_to("div"):
        above, below = quotient["input"], quotient["other"]
        norm = below.made_only_by("norm", "vector_norm") if below is not None else None
        if above is not None and norm is not None and above.needs_grad and _of(norm, above):
            yield quotient.flag("is 0 / 0 for a zero row: `F.normalize` keeps away from 0")


def _is_square(squares: Operand) -> bool:
    made = squares.made_only_by("pow", "square", "mul")
    if made is None or made.op == "square":
        return made is not None
    base, power = made["input"], made["exponent"] or made["other"]
    return power is not None and base is not None and (power.constant == 2 or power.text == base.text)


def _of(norm: Call, above: Operand) -> bool:
    inside = norm["input"] or norm["x"]
    return inside is not None and inside.text == above.text
