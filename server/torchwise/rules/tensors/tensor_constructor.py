"""A tensor is made with an old constructor, or copied with `torch.tensor`.

`torch.Tensor([1, 2])` is float32 whatever it is given, so labels become floats; `torch.Tensor(3)` is
three numbers that nobody wrote. `torch.tensor(x)` of a tensor copies it and warns. Use
`torch.tensor(data)` with a dtype, and `x.clone().detach()`.

Source: https://docs.pytorch.org/docs/stable/tensors.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW340", HINT, "02-tensors/making#from-values-you-have"


def _floats(bad: dict[str, object], good: dict[str, object]) -> bool:
    return str(bad["labels"].dtype) == "torch.float32" and str(good["labels"].dtype) == "torch.int64"  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            labels = torch.Tensor([0, 2, 1])
                     ^^^^^^^^^^^^^^^^^^^^^^^ makes float32 of any data
            """,
        good="""
            labels = torch.tensor([0, 2, 1])
            """,
        setup="""
            import torch
            """,
        harm=_floats,
    ),
    Example(
        bad="""
            start = torch.tensor(points)
                    ^^^^^^^^^^^^^^^^^^^^ copies a tensor
            """,
        good="""
            start = points.clone().detach()
            """,
        setup="""
            import torch

            points = torch.zeros(3)
            """,
    ),
]

SILENT = [
    """
    import torch

    labels = torch.tensor([0, 2, 1])
    empty = torch.FloatTensor()  # nothing in it
    """,
]

OLD = {
    "Tensor": "float32", "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16",
    "LongTensor": "int64", "IntTensor": "int32", "ByteTensor": "uint8", "BoolTensor": "bool",
}  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*OLD):
        size = call["size"]
        if size is None or call.text.startswith("torch.cuda"):
            continue
        if size.counts:
            yield call.flag(
                f"gives {size.shown} numbers that nobody wrote: `torch.zeros` or `torch.empty` say so"
            )
        elif not size.is_tensor:
            fix = None
            if call.op == "Tensor" and call.name == "torch.Tensor":
                made = "torch.tensor" + call.text.removeprefix("torch.Tensor")
                fix = replace_with(call.at, made, "Use torch.tensor", safe=False)
            yield call.flag(f"makes {OLD[call.op]} of any data: `torch.tensor` keeps its kind", fix=fix)
    for call in scope.calls_to("tensor"):
        data = call["data"]
        if data is not None and data.is_tensor and "dtype" not in call and "device" not in call:
            copy = f"{data.text}.clone().detach()"
            fix = replace_with(call.at, copy, "Copy it") if data.text.isidentifier() else None
            yield call.flag(
                f"copies a tensor, and warns: `{data.text}.clone().detach()` does the same", fix=fix
            )
