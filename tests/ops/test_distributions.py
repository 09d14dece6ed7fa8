"""Distributions: shapes of samples, log-probabilities and entropies are those of torch."""

import pytest
import torch
from torch import distributions

from tests.ops.judge import Drawn, Heap, abstract, bind, disagreement
from torchwise.domain.dim import Dim
from torchwise.domain.value import Obj, Pointer, Site
from torchwise.ops.spec import OPS, Given, Made, Outcome

CALLS = [
    ("Normal", (torch.zeros(3, 2), torch.ones(2))),
    ("Normal", (0.0, torch.ones(2))),
    ("Laplace", (0.0, 1.0)),
    ("Uniform", (torch.zeros(3), torch.ones(3))),
    ("Beta", (torch.ones(3), torch.ones(3))),
    ("Exponential", (torch.ones(2, 1),)),
    ("Poisson", (torch.ones(3),)),
    ("Bernoulli", (torch.full((3,), 0.5),)),
    ("Categorical", (torch.full((3, 4), 0.25),)),
    ("OneHotCategorical", (torch.full((3, 4), 0.25),)),
    ("Dirichlet", (torch.ones(3, 4),)),
    ("MultivariateNormal", (torch.zeros(3, 2), torch.eye(2))),
]


def outcome(path: str, heap: Heap, args: list) -> Outcome:
    op = OPS[path]
    found = op.returns(Given(bind(op, args, {}), heap, site=Site("test", 0)))
    return found if isinstance(found, Outcome) else Outcome(found)


def value_of(x: object, heap: Heap) -> object:
    if isinstance(x, torch.Tensor):
        x = Drawn(x, tuple(map(Dim.of, x.shape)), tuple(map(Dim.of, x.stride())))
    return abstract(x, False, heap, {})


def made(name: str, args: tuple, heap: Heap) -> Pointer:
    found = outcome(f"torch.distributions.{name}", heap, [value_of(x, heap) for x in args])
    assert isinstance(found.result, Made) and not found.broken
    return heap.put(found.result.obj)


@pytest.mark.parametrize("name, args", CALLS, ids=lambda x: x if isinstance(x, str) else "")
@pytest.mark.parametrize("independent", [False, True])
def test_a_distribution_says_what_torch_says(name, args, independent):
    heap = Heap()
    real, pointer = getattr(distributions, name)(*args), made(name, args, heap)
    if independent and real.batch_shape:
        wrapped = outcome("torch.distributions.Independent", heap, [pointer, value_of(1, heap)])
        pointer = heap.put(wrapped.result.obj)
        real = distributions.Independent(real, 1)
    obj: Obj = heap[pointer.to]
    assert disagreement(obj.attrs["batch_shape"], tuple(real.batch_shape), {}, False) == ""
    assert disagreement(obj.attrs["event_shape"], tuple(real.event_shape), {}, False) == ""
    base = "torch.distributions.Distribution"
    for lead in ((), (5,), (2, 3)):
        draw = real.sample(lead)
        found = outcome(f"{base}.sample", heap, [pointer, value_of(lead, heap)])
        assert disagreement(found.result, draw, {}, False) == ""
        found = outcome(f"{base}.log_prob", heap, [pointer, value_of(draw, heap)])
        assert disagreement(found.result, real.log_prob(draw), {}, False) == ""
    if name not in ("Poisson",):
        found = outcome(f"{base}.entropy", heap, [pointer])
        assert disagreement(found.result, real.entropy(), {}, False) == ""
    if name != "Categorical":
        assert disagreement(outcome(f"{base}.mean", heap, [pointer]).result, real.mean, {}, False) == ""
