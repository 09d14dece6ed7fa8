"""Parameters stand in the tables as they do in torch: the same names, in the same order, with the same
defaults."""

from __future__ import annotations

import importlib
import inspect

import pytest
import torch

from tests.ops.judged_layers import as_value
from torchwise.domain.value import Value
from torchwise.ops import OPS, Given, Made, Outcome

PACKAGES = (
    "torch.nn.",
    "torch.optim.",
    "torch.utils.data.",
    "torch.amp.",
    "torch.utils.checkpoint.",
    "torch.autograd.",
)
OTHERWISE = {  # rows that stand for more than what the signature shows
    "torch.autograd.no_grad",
    "torch.autograd.grad_mode.no_grad",
    "torch.nn.RMSNorm.forward",
    "torch.nn.Sequential.append",
    "torch.nn.Sequential.extend",
    "torch.nn.AdaptiveLogSoftmaxWithLoss.forward",
    "torch.nn.Sequential.insert",
    "torch.nn.functional.upsample",
}
SKIPPED = (  # what python cannot show a signature of, or shows an empty one
    "torch.nn.Module",
    "torch.nn.RNN",
    "torch.nn.LSTM",
    "torch.nn.GRU",
    "torch.nn.modules.RNN",
    "torch.nn.modules.LSTM",
    "torch.nn.modules.GRU",
    "torch.nn.modules.rnn",
    "torch.nn.modules.module",
    "torch.nn.modules.Module",
    "torch.nn.parallel",
    "torch.nn.parameter",
    "torch.nn.Parameter",
    "torch.nn.Buffer",
    "torch.nn.UninitializedParameter",
    "torch.nn.UninitializedBuffer",
)


def resolved(path: str) -> object | None:
    parts = path.split(".")
    found: object = torch
    for number, name in enumerate(parts[1:], 1):
        if not hasattr(found, name):
            try:
                importlib.import_module(".".join(parts[: number + 1]))
            except ImportError:
                return None
        found = getattr(found, name, None)
        if found is None:
            return None
    return found


def signature(path: str) -> inspect.Signature | None:
    thing = resolved(path)
    try:
        return None if thing is None else inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def asked() -> list[str]:
    return [
        p
        for p in sorted(OPS)
        if p.startswith(PACKAGES) and not p.startswith(SKIPPED) and ".__" not in p and p not in OTHERWISE
    ]


@pytest.mark.parametrize("path", [p for p in asked() if signature(p) is not None])
def test_parameters_are_those_of_torch(path: str) -> None:
    real = signature(path)
    assert real is not None
    names = [
        n for n, p in real.parameters.items() if p.kind.name in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")
    ]
    if "torch._jit_internal" in repr(resolved(path)) or any(
        p.kind.name.startswith("VAR") for p in real.parameters.values()
    ):
        return
    row = OPS[path]
    ours = [n for n in row.params if n != "self"]
    theirs = [n for n in names if n != "self"]
    together = list(zip(ours, theirs))
    assert all(a == b for a, b in together), f"{ours}\n{theirs}"
    assert set(ours) <= set(real.parameters) | {"self"}, set(ours) - set(real.parameters)


def constructors() -> list[str]:
    return [
        p
        for p in asked()
        if {"layer", "optimizer", "scheduler"} & OPS[p].tags and isinstance(resolved(p), type)
    ]


@pytest.mark.parametrize("path", constructors())
def test_defaults_are_those_of_torch(path: str) -> None:
    real = signature(path)
    answer = OPS[path].returns(Given({}, {}))
    made = answer.result if isinstance(answer, Outcome) else answer
    if real is None or not isinstance(made, Made):
        return
    for name, parameter in real.parameters.items():
        held = made.obj.attrs.get(name)
        if (
            held is None
            or parameter.default is inspect.Parameter.empty
            or not isinstance(parameter.default, int | float | str)
        ):
            continue
        default: Value = as_value(parameter.default)
        assert (
            type(held) is not type(default)
            or held == default
            or name in ("bias", "padding", "stride", "output_padding")
        ), name


def test_most_of_torch_is_asked() -> None:
    assert len([p for p in asked() if signature(p) is not None]) > 400
