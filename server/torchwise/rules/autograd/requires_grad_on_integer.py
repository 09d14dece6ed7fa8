"""Gradients are asked of integers or bools.

Only floating point and complex tensors can require grad; `torch.tensor([1, 2, 3], requires_grad=True)`
raises because of its dtype.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW205", ERROR, "03-autograd/graph#who-requires-grad"

EXAMPLES = [
    Example(
        bad="""
            weights = torch.tensor([1, 2, 3], requires_grad=True)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ int64
            """,
        good="""
            weights = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
            """,
        setup="""
            import torch
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    weights = torch.tensor([1, 2, 3], dtype=torch.float32, requires_grad=True)
    """,
]

WHOLE = ("int64", "int32", "int16", "int8", "uint8", "bool")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls():
        asked = call["requires_grad"]
        if call.op == "requires_grad_":
            for broken in call.breaks("dtype"):
                yield call.flag(
                    f"`{call.name.rpartition('.')[0]}` is {broken.got}: only floating point can require grad"
                )
        elif (
            asked is not None
            and asked.constant is True
            and call.makes_tensor_of(*WHOLE)
            and call.ref not in scope.guarded
        ):
            yield call.flag(f"makes {call.result.dtype}: only floating point can require grad")  # type: ignore[attr-defined]
