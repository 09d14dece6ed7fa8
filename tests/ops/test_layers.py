"""Every layer of torch.nn, made and called on drawn arguments: the tables say what torch does."""

from __future__ import annotations

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ops import sequence_cases  # noqa: F401
from tests.ops.judged_layers import agree, called, constructed, parameters, unanswered
from tests.ops.layer_cases import CASES
from torchwise.domain.value import Const, Items, Num, Value
from torchwise.ops import Made

LIGHT = settings(
    max_examples=12, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


@pytest.mark.parametrize("path", sorted(CASES))
@given(data=st.data())
@LIGHT
def test_a_layer_is_what_torch_makes(path: str, data: st.DataObject) -> None:
    case = CASES[path](data.draw)
    made = constructed(path, case)
    assert bool(made.outcome.broken) == (made.raised is not None), f"{case}\n{made.told()}"
    if made.raised is not None:
        return
    assert isinstance(made.outcome.result, Made)
    assert_held(made.real, made.outcome.result, path)
    done = called(path, case, made)
    inputs = [tuple(i.shape) for i in case.inputs if isinstance(i, torch.Tensor)]
    told = f"{case.args} {case.kwargs} {inputs} {list(case.more)}\n{done.told()}"
    if done.raised is not None:
        assert done.outcome.broken or unsupported(done.raised), told
        return
    assert not done.outcome.broken, told
    agree(done.real, done.outcome.result, told)
    assert not unanswered(done.outcome.result) or path.startswith("torch.nn.Lazy"), told


def unsupported(error: Exception) -> bool:
    """What torch's kernel for this device and dtype does not do, and others may."""
    words = "not implemented for", "Output size is too small", "out of bounds", "Unsupported memory format"
    return any(w in str(error) for w in words) or isinstance(error, NotImplementedError)


def assert_held(module: object, made: Made, path: str) -> None:
    """Parameters and buffers by name and shape, and the plain attributes."""
    assert isinstance(module, torch.nn.Module)
    held = parameters(made.obj)
    real = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    assert set(held) == set(real), f"{path}: {sorted(held)} {sorted(real)}"
    for name, tensor in real.items():
        if not torch.nn.parameter.is_lazy(tensor):
            agree(tensor, held[name], f"{path}.{name}: {held[name]}")
            assert (held[name].kind == "parameter") == isinstance(tensor, torch.nn.Parameter)
    for name, value in made.obj.attrs.items():
        if name in vars(module) and name != "activation" and isinstance(value, Num | Const | Items):
            assert plain(value) == plain_real(getattr(module, name)), f"{path}.{name}"


def plain(value: Value) -> object:
    match value:
        case Num(dim):
            return dim.number
        case Const(constant):
            return constant
        case Items(items):
            return tuple(map(plain, items))
    return value


def plain_real(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize("path", sorted(CASES))
@given(data=st.data())
@LIGHT
def test_symbols_stand_for_any_size(path: str, data: st.DataObject) -> None:
    """The first input's sizes as symbols: an answer is right once they are filled in, and no size is
    accused in vain."""
    case = CASES[path](data.draw)
    made = constructed(path, case)
    if made.raised is not None or not isinstance(made.real, torch.nn.Module):
        return
    names = {f"s{i}": size for i, size in enumerate(case.inputs[0].shape)}
    done = called(path, case, made, symbols=tuple(names))
    if done.raised is not None:
        return
    told = f"{case.args} {case.kwargs} {names}\n{done.told()}"
    assert not done.outcome.broken, told
    if min(names.values(), default=2) > 1:  # symbols are taken to be larger than 1
        agree(done.real, done.outcome.result, told, names)
