"""An einsum equation does not fit its operands, or cannot be read.

Each operand needs as many letters as it has axes, a letter means one length wherever it stands, and the
output may use only
letters that stand on the left.

Source: https://docs.pytorch.org/docs/stable/generated/torch.einsum.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW305", ERROR, "02-tensors/operations#einsum"

EXAMPLES = [
    Example(
        bad="""
            mixed = torch.einsum("bqk,bdk->bqd", attention, values)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `k` is 9 and 16 long
            """,
        good="""
            mixed = torch.einsum("bqk,bkd->bqd", attention, values)
            """,
        setup="""
            import torch

            attention, values = torch.rand(4, 7, 9), torch.randn(4, 9, 16)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    total = torch.einsum("...ij->...", torch.ones(2, 3, 4))  # `...` takes any number of axes
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("einops"):
        yield call.flag(f"the pattern cannot be followed: {next(call.breaks('einops')).message}")
    for call in scope.calls_to("einsum"):
        for broken in call.broken:
            match broken.kind:
                case "axis":
                    yield call.flag(
                        f"in the equation, `{broken.axis}` is {broken.wanted} and {broken.got} long"
                    )
                case "rank":
                    yield call.flag(
                        f"operand {broken.axis} is {broken.got}, but the equation gives it {broken.wanted}"
                    )
                case "einsum" if not broken.message:
                    yield call.flag(f"the equation has {broken.wanted} operands, but {broken.got} are given")
                case "einsum":
                    yield call.flag(f"the equation cannot be read: {broken.message}")
                case _:
                    yield call.refuses(broken)
            break
