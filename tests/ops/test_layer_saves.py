"""What the tables say that a layer keeps for backward, torch keeps: to change it in between is an error."""

from __future__ import annotations

from collections import defaultdict

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.ops import sequence_cases  # noqa: F401
from tests.ops.judged_layers import Case, constructed, tried
from tests.ops.layer_cases import CASES
from torchwise.ops import OPS

DRAWN = settings(
    max_examples=5,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=[Phase.generate],
)
# Kept, as the table leaves out: it depends on sizes or on the kernel, or nobody writes to it.
LEFT_OUT = {
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "CTCLoss",
    "LinearCrossEntropyLoss",
    "CrossMapLRN2d",
    "EmbeddingBag",
    "GRU",
    "LSTM",
    "RNN",
    "MultiheadAttention",
    "PoissonNLLLoss",
    "Transformer",
    "TransformerDecoderLayer",
    "TransformerEncoderLayer",
}


@pytest.mark.parametrize("path", [p for p in sorted(CASES) if "Lazy" not in p])
def test_what_a_layer_keeps_must_not_be_changed(path: str) -> None:
    seen: defaultdict[str, set[bool]] = defaultdict(set)

    @given(data=st.data())
    @DRAWN
    def probe(data: st.DataObject) -> None:
        case = CASES[path](data.draw)
        if not case.kwargs.get("inplace"):
            for name in ("result", "weight", "bias", *OPS[f"{path}.__call__"].params[1:]):
                found = changed(path, case, name)
                if found is not None:
                    seen[name].add(found)

    probe()
    kept = {entry.partition("<")[0] for entry in OPS[f"{path}.__call__"].saves}
    for name, answers in seen.items():
        if name in kept:
            assert answers == {True}, f"{name} is not kept, or not always"
        elif path.rpartition(".")[2] not in LEFT_OUT:
            assert answers != {True}, f"{name} is kept"


def changed(path: str, case: Case, name: str) -> bool | None:
    """Whether backward refuses after `name` was changed; None where that cannot be asked."""
    module = constructed(path, case).real
    if module is None:
        return None
    assert isinstance(module, torch.nn.Module)
    inputs = [prepared(thing) for thing in case.inputs]
    raised, out = tried(lambda: module(*inputs, **case.more))
    while isinstance(out, tuple | list):
        out = out[0]
    if raised is not None or not isinstance(out, torch.Tensor) or not out.requires_grad or not out.numel():
        return None
    params = OPS[f"{path}.__call__"].params[1:]
    target = out if name == "result" else getattr(module, name, None)
    if name in params:
        target = inputs[params.index(name)] if params.index(name) < len(inputs) else None
    if not isinstance(target, torch.Tensor) or not target.numel():
        return None
    with torch.no_grad():
        refused, _ = tried(lambda: target.copy_(target.clone()))
    if refused is not None:
        return None
    raised, _ = tried(lambda: (out * 1.0).sum().backward())
    return raised is not None and "modified by an inplace" in str(raised)


def prepared(thing: object) -> object:
    """Floating inputs as results of a computation on a leaf that requires grad."""
    if isinstance(thing, torch.Tensor) and thing.is_floating_point():
        values = torch.rand(thing.shape, dtype=thing.dtype, generator=torch.Generator().manual_seed(0))
        return (values * 0.5 + 0.25).requires_grad_() * 1.0
    return thing.clone() if isinstance(thing, torch.Tensor) else thing
