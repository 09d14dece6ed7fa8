"""What an annotation names counts by where the name comes from."""

import pytest

from tests.rules.examples import clean, findings

OURS = [
    ("import torch", "torch.Tensor"),
    ("import torch as th", "th.Tensor"),
    ("from torch import Tensor", "Tensor"),
    ("from torch import Tensor as T", "Tensor"),
    ("import torch", "'torch.Tensor'"),
    ("import torch", "torch.Tensor | None"),
    ("import torch\nfrom jaxtyping import Float", 'Float[torch.Tensor, "rows columns"]'),
    ("from torch import Tensor\nfrom jaxtyping import Float", 'Float[Tensor, "rows columns"]'),
]
OTHERS = [
    ("import tensorflow as tf", "tf.Tensor"),
    ("import paddle", "paddle.Tensor"),
    ("from tinygrad import Tensor", "Tensor"),
    ("from mxnet.gluon.tensor import Tensor", "Tensor"),
    ("class Tensor:\n    pass", "Tensor"),
    ("from tinygrad import Tensor\nfrom jaxtyping import Float", 'Float[Tensor, "rows columns"]'),
]


def names_found(imports: str, annotation: str) -> list[str]:
    function = f"def moved(x: {annotation}):\n    x.to('cpu')\n    return x\n"
    return [found.name for found in findings(clean(imports) + function)]


@pytest.mark.parametrize(("imports", "annotation"), OURS)
def test_a_tensor_of_torch_is_one(imports: str, annotation: str) -> None:
    assert names_found(imports, annotation) == ["result-discarded"]


@pytest.mark.parametrize(("imports", "annotation"), OTHERS)
def test_a_tensor_of_another_framework_or_of_the_project_is_none(imports: str, annotation: str) -> None:
    assert names_found(imports, annotation) == []


def test_a_module_of_the_project_that_derives_from_that_of_torch_is_one() -> None:
    code = """
        import torch
        from torch import nn

        class Module(nn.Module):
            pass

        def scored(model: Module, x):
            return model.forward(x)
        """
    assert [found.name for found in findings(clean(code))] == ["forward-called"]
    assert findings(clean(code.replace("Module(nn.Module)", "Module"))) == []


KEPT = """
    import torch
    {imports}

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, by: {annotation}):
            ctx.by = by
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None
    """


@pytest.mark.parametrize(
    ("imports", "annotation", "said"),
    [
        ("", "torch.Tensor | None", ["function-keeps-on-ctx"]),
        ("from tensors import TensorSpec", "TensorSpec", []),
        ("from tinygrad import Tensor", "Tensor", []),
        ("", "'list[torch.Tensor]'", []),
        ("", "int", []),
    ],
)
def test_a_custom_function_keeps_tensors_of_torch_alone(
    imports: str, annotation: str, said: list[str]
) -> None:
    code = KEPT.format(imports=imports, annotation=annotation)
    assert [found.name for found in findings(clean(code))] == said
