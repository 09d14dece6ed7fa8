"""What operators that are put together from others keep for backward: seen by running them.

Each is called on small tensors; then one tensor is changed in place and backward is run. If torch objects
that a value it needs was modified, the tensor was kept. So the table says what a user will meet, whatever the
operator is made of."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn import functional as F

Call = Callable[..., torch.Tensor]


def randn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


ROWS, IMAGE, SEQUENCE = randn(4, 6), randn(2, 4, 6, 6), randn(2, 5, 8)
CLASSES, BITS = torch.tensor([0, 2, 1, 5]), (ROWS > 0).float()
POSITIVE = ROWS.abs() + 0.5

# Operator as users write it, a call of it, and its tensors by the names of torch's parameters.
CALLS: list[tuple[str, Call, dict[str, torch.Tensor]]] = [
    # linear algebra
    ("torch.matmul", lambda input, other: torch.matmul(input, other), {"input": ROWS, "other": randn(6, 3)}),
    ("torch.einsum", lambda a, b: torch.einsum("ij,jk->ik", a, b), {"a": ROWS, "b": randn(6, 3)}),
    ("torch.linalg.norm", lambda A: torch.linalg.norm(A), {"A": ROWS}),
    ("torch.norm", lambda input: torch.norm(input), {"input": ROWS}),
    ("torch.tensordot", lambda a, b: torch.tensordot(a, b, dims=1), {"a": ROWS, "b": randn(6, 3)}),
    ("F.linear", F.linear, {"input": SEQUENCE, "weight": randn(3, 8), "bias": randn(3)}),
    ("F.bilinear", F.bilinear, {"input1": ROWS, "input2": ROWS + 1, "weight": randn(2, 6, 6)}),
    # activations
    ("torch.softmax", lambda input: input.softmax(-1), {"input": ROWS}),
    ("torch.log_softmax", lambda input: input.log_softmax(-1), {"input": ROWS}),
    ("F.softmin", lambda input: F.softmin(input, -1), {"input": ROWS}),
    ("F.softsign", F.softsign, {"input": ROWS}),
    ("F.tanhshrink", F.tanhshrink, {"input": ROWS}),
    ("F.relu6", F.relu6, {"input": ROWS}),
    ("F.celu", F.celu, {"input": ROWS}),
    ("F.selu", F.selu, {"input": ROWS}),
    ("F.normalize", lambda input: F.normalize(input), {"input": ROWS}),
    ("F.dropout", lambda input: F.dropout(input, 0.5, True), {"input": ROWS}),
    # layers
    ("F.layer_norm", lambda input, weight, bias: F.layer_norm(input, (8,), weight, bias),
     {"input": SEQUENCE, "weight": randn(8), "bias": randn(8)}),
    ("F.rms_norm", lambda input, weight: F.rms_norm(input, (8,), weight),
     {"input": SEQUENCE, "weight": randn(8)}),
    ("F.group_norm", lambda input, weight, bias: F.group_norm(input, 2, weight, bias),
     {"input": IMAGE, "weight": randn(4), "bias": randn(4)}),
    ("F.batch_norm", lambda input, weight, bias: F.batch_norm(input, None, None, weight, bias, training=True),
     {"input": IMAGE, "weight": randn(4), "bias": randn(4)}),
    ("F.instance_norm", lambda input: F.instance_norm(input), {"input": IMAGE}),
    ("F.conv1d", F.conv1d, {"input": SEQUENCE, "weight": randn(3, 5, 3), "bias": randn(3)}),
    ("F.conv2d", F.conv2d, {"input": IMAGE, "weight": randn(3, 4, 3, 3), "bias": randn(3)}),
    ("F.conv_transpose2d", F.conv_transpose2d,
     {"input": IMAGE, "weight": randn(4, 3, 3, 3), "bias": randn(3)}),
    ("F.max_pool2d", lambda input: F.max_pool2d(input, 2), {"input": IMAGE}),
    ("F.avg_pool2d", lambda input: F.avg_pool2d(input, 2), {"input": IMAGE}),
    ("F.adaptive_avg_pool2d", lambda input: F.adaptive_avg_pool2d(input, 1), {"input": IMAGE}),
    ("F.interpolate", lambda input: F.interpolate(input, scale_factor=2), {"input": IMAGE}),
    ("F.pad", lambda input: F.pad(input, (1, 1)), {"input": ROWS}),
    ("F.embedding", lambda weight: F.embedding(CLASSES, weight), {"weight": randn(6, 3)}),
    ("F.scaled_dot_product_attention", F.scaled_dot_product_attention,
     {"query": randn(2, 3, 5, 8), "key": randn(2, 3, 5, 8), "value": randn(2, 3, 5, 8)}),
    # losses
    ("F.cross_entropy", lambda input: F.cross_entropy(input, CLASSES), {"input": ROWS}),
    ("F.nll_loss", lambda input: F.nll_loss(input, CLASSES), {"input": ROWS}),
    ("F.mse_loss", F.mse_loss, {"input": ROWS, "target": ROWS + 1}),
    ("F.l1_loss", F.l1_loss, {"input": ROWS, "target": ROWS + 1}),
    ("F.smooth_l1_loss", F.smooth_l1_loss, {"input": ROWS, "target": ROWS + 1}),
    ("F.huber_loss", F.huber_loss, {"input": ROWS, "target": ROWS + 1}),
    ("F.kl_div", lambda input, target: F.kl_div(input, target, reduction="sum"),
     {"input": ROWS, "target": POSITIVE}),
    ("F.binary_cross_entropy", F.binary_cross_entropy, {"input": ROWS.sigmoid(), "target": BITS}),
    ("F.binary_cross_entropy_with_logits", F.binary_cross_entropy_with_logits,
     {"input": ROWS, "target": BITS}),
    ("F.cosine_similarity", F.cosine_similarity, {"x1": ROWS, "x2": ROWS + 1}),
    # reductions and selections
    ("torch.std", lambda input: input.std(), {"input": ROWS}),
    ("torch.var", lambda input: input.var(), {"input": ROWS}),
    ("torch.cdist", lambda x1, x2: torch.cdist(x1, x2), {"x1": ROWS, "x2": ROWS + 1}),
    ("torch.where", lambda input, other: torch.where(BITS > 0, input, other),
     {"input": ROWS, "other": ROWS + 1}),
    ("torch.clamp", lambda input: input.clamp(-1, 1), {"input": ROWS}),
    ("torch.stack", lambda a, b: torch.stack([a, b]), {"a": ROWS, "b": ROWS + 1}),
]  # fmt: skip


def composite_saves() -> dict[str, list[str]]:
    """`{"torch.softmax": ["result"], "F.linear": ["input", "weight"], ...}`, all tensors requiring grad."""
    table = {}
    for operator, call, tensors in CALLS:
        candidates = [*tensors, "result"]
        table[operator] = [name for name in candidates if is_kept(call, tensors, name)]
    return table


def is_kept(call: Call, tensors: dict[str, torch.Tensor], changed: str) -> bool:
    """Whether backward fails after `changed`, one of the tensors or the result, was written to."""
    leaves = {name: tensor.clone().requires_grad_() for name, tensor in tensors.items()}
    inputs = {name: leaf * 1 for name, leaf in leaves.items()}
    result = call(*inputs.values())
    with torch.no_grad():
        (result if changed == "result" else inputs[changed]).add_(0)
    try:
        result.backward(torch.ones_like(result))
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error), f"{call}: {error}"
        return True
    return False
