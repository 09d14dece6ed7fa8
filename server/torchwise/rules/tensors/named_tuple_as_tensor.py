"""The pair that `max`, `min`, `sort`, `topk` and their like return is used as if it were a tensor.

With a `dim`, these give values and indices: a named tuple. Take `.values`, `.indices`, or unpack it.

Source: https://docs.pytorch.org/docs/stable/generated/torch.max.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW324", ERROR, "02-tensors/operations#values-and-positions"

EXAMPLES = [
    Example(
        bad="""
            best = scores.max(dim=1)
            right = best.float()
                    ^^^^^^^^^^ `best` is a pair of values and indices
            """,
        good="""
            best = scores.max(dim=1).values
            right = best.float()
            """,
        setup="""
            import torch

            scores = torch.randn(5, 3)
            """,
        harm=AttributeError,
    ),
    Example(
        bad="""
            hardest = torch.topk(losses, 2)
            kept = losses[hardest]
                   ^^^^^^^^^^^^^^^ `hardest` is a pair of values and indices
            """,
        good="""
            hardest = torch.topk(losses, 2)
            kept = losses[hardest.indices]
            """,
        setup="""
            import torch

            losses = torch.randn(5)
            """,
        harm=IndexError,
    ),
    Example(
        bad="""
            mixed = points + attention(points, points, points)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is a tuple of 2, no tensor
            """,
        good="""
            mixed = points + attention(points, points, points)[0]
            """,
        setup="""
            import torch
            from torch import nn

            points, attention = torch.randn(2, 5, 4), nn.MultiheadAttention(4, 2)
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch

    best, where = torch.randn(5, 3).max(dim=1)  # unpacked
    order = torch.randn(5).sort()[1]  # one of them is taken
    """,
]

OPERATORS = ("add", "sub", "mul", "div", "matmul", "gt", "lt", "ge", "le", "pow")


def check(scope: Reading) -> Iterator[Flag]:
    for use in scope.happenings("named-tuple-as-tensor"):
        pair, op = use.text.rpartition(".")[0], use.detail.partition(":")[0]
        yield use.flag(
            f"`{pair}` is a tuple, no tensor"
            if op == "tuple"
            else f"`{pair}` is a pair of values and indices, as `{op}` gives, no tensor"
        )
    for call in scope.calls():
        for operand in call.operands:
            if operand.named_tuple and _wants_tensor(operand):
                yield call.flag(
                    f"{operand.quoted} is a pair of values and indices, as `{operand.named_tuple}` gives, "
                    "no tensor"
                )
                break
            if operand.tuple_of and _takes_tensor(operand):
                yield call.flag(
                    f"{operand.quoted} is a tuple of {operand.tuple_of}, no tensor: take it apart first"
                )
                break


def _takes_tensor(operand: Operand) -> bool:
    """Layers and functions that are handed a tuple are told by another rule."""
    call = operand.call
    if call.ref in operand.reading.guarded or not call.spelling.startswith("operator."):
        return False
    others = [o for o in call.operands if o.param != operand.param]
    return call.op in OPERATORS and all(o.is_tensor for o in others)


def _wants_tensor(operand: Operand) -> bool:
    call = operand.call
    if call.ref in operand.reading.guarded or operand.param in ("tensors", "args", "self", "iterable", "dim"):
        return False
    if call.spelling.startswith("operator."):
        others = [o for o in call.operands if o.param != operand.param]
        return (call.op in OPERATORS and all(o.tensor is not None for o in others)) or (
            call.op == "getitem" and operand.param == "index" and others[0].tensor is not None
        )
    return operand.param == "input" and call.spelling.startswith(("torch.", "torch.nn."))
