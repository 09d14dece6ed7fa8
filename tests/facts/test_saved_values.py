"""What the facts say is kept for backward, torch keeps, and nothing else: every operator is asked.

An operator is run, one of its tensors is changed in place, and backward is run: it fails exactly where the
table has that tensor. All operators that take only tensors of one shape are asked so, with every choice of
the ones that require grad; a list adds others of everyday use."""

from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
import torch

from torchwise.facts import Saved, facts_for

FACTS = facts_for(torch.__version__)


def between_0_and_1(*shape: int) -> torch.Tensor:
    """Values in the domain of nearly every function; a matrix of them can be inverted and factored."""
    values = 0.2 + 0.6 * torch.rand(*shape, generator=torch.Generator().manual_seed(0))
    return values + torch.eye(shape[-1]) if len(shape) == 2 and shape[0] == shape[1] else values


SQUARE, BATCH, IMAGE = between_0_and_1(3, 3), between_0_and_1(2, 3, 3), between_0_and_1(2, 4, 6, 6)
INDEX = torch.tensor([[0, 1, 2], [2, 1, 0], [1, 1, 1]])

# Operator to its arguments, where they are more than tensors of one shape.
ARGUMENTS: dict[str, Sequence[object]] = {
    "_log_softmax": (SQUARE, 1, False),
    "_softmax": (SQUARE, 1, False),
    "addbmm": (SQUARE, BATCH, BATCH),
    "addmm": (SQUARE, SQUARE, SQUARE),
    "addmv": (SQUARE[0], SQUARE, SQUARE[0]),
    "amax": (SQUARE, [1]),
    "amin": (SQUARE, [1]),
    "avg_pool2d": (IMAGE, [2, 2]),
    "baddbmm": (BATCH, BATCH, BATCH),
    "bmm": (BATCH, BATCH),
    "clamp": (SQUARE, 0.3, 0.7),
    "convolution": (IMAGE, between_0_and_1(3, 4, 3, 3), SQUARE[0], [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
    "cumprod": (SQUARE, 1),
    "cumsum": (SQUARE, 1),
    "div.Scalar": (SQUARE, 3.0),
    "elu": (SQUARE,),
    "expand": (SQUARE[:1], [3, 3]),
    "gather": (SQUARE, 1, INDEX),
    "glu": (IMAGE, 1),
    "hardtanh": (SQUARE, 0.3, 0.7),
    "index.Tensor": (SQUARE, [INDEX[0]]),
    "index_add": (SQUARE, 0, INDEX[0], SQUARE),
    "index_select": (SQUARE, 0, INDEX[0]),
    "kthvalue": (SQUARE, 2),
    "leaky_relu": (SQUARE, 0.1),
    "linalg_vector_norm": (SQUARE, 2),
    "logsumexp": (SQUARE, [1]),
    "masked_fill.Scalar": (SQUARE, INDEX > 0, 0.0),
    "max.dim": (SQUARE, 1),
    "max_pool2d_with_indices": (IMAGE, [2, 2]),
    "mean.dim": (SQUARE, [1]),
    "mm": (SQUARE, SQUARE),
    "mul.Scalar": (SQUARE, 3.0),
    "mv": (SQUARE, SQUARE[0]),
    "native_batch_norm": (IMAGE, SQUARE[0].new_ones(4), None, None, None, True, 0.1, 1e-5),
    "native_group_norm": (IMAGE, torch.ones(4), torch.ones(4), 2, 4, 36, 2, 1e-5),
    "native_layer_norm": (SQUARE, [3], SQUARE[0], SQUARE[1], 1e-5),
    "norm.Scalar": (SQUARE, 2),
    "permute": (BATCH, [2, 0, 1]),
    "pow.Scalar": (2.0, SQUARE),
    "pow.Tensor_Scalar": (SQUARE, 3.0),
    "prod": (SQUARE,),
    "scatter_add": (SQUARE, 1, INDEX, SQUARE),
    "select.int": (SQUARE, 0, 1),
    "softplus": (SQUARE,),
    "sort": (SQUARE,),
    "std.correction": (SQUARE,),
    "sub.Scalar": (SQUARE, 1.0),
    "sum.dim_IntList": (SQUARE, [1]),
    "topk": (SQUARE, 2),
    "transpose.int": (SQUARE, 0, 1),
    "var.correction": (SQUARE,),
    "view": (SQUARE, [9]),
    "where.self": (INDEX > 0, SQUARE, SQUARE),
}


def overload(operator: str) -> Callable:
    packet, _, name = operator.partition(".")
    return getattr(getattr(torch.ops.aten, packet), name or "default")


def takes_tensors_alone(operator: str) -> bool:
    required = [a for a in overload(operator)._schema.arguments if not a.has_default_value()]
    return bool(required) and all(str(a.type) == "Tensor" for a in required)


def arguments_of(operator: str) -> Sequence[object] | None:
    if operator in ARGUMENTS:
        return ARGUMENTS[operator]
    if takes_tensors_alone(operator):
        required = [a for a in overload(operator)._schema.arguments if not a.has_default_value()]
        return [SQUARE.clone() for _ in required]
    return None


class Run:
    """One call of an operator on fresh tensors, of which some require grad, and its backward."""

    def __init__(self, operator: str, needing_grad: frozenset[str]) -> None:
        call, given = overload(operator), arguments_of(operator)
        assert given is not None
        self.schema = call._schema
        self.tensors: dict[str, torch.Tensor] = {}
        arguments = []
        for declared, value in zip(self.schema.arguments, given, strict=False):
            if isinstance(value, torch.Tensor):
                value = value.clone().requires_grad_(declared.name in needing_grad)
                value = value * 1 if declared.name in needing_grad else value
                self.tensors[declared.name] = value
            arguments.append(value)
        result = call(*arguments)
        self.results = list(result) if isinstance(result, tuple | list) else [result]
        for position, returned in enumerate(self.results):
            self.tensors[self.result_name(position)] = returned

    def result_name(self, position: int) -> str:
        name = self.schema.returns[position].name
        return name or ("result" if len(self.results) == 1 else f"result{position}")

    def backward(self) -> None:
        ends = [result for result in self.results if result.requires_grad]
        torch.autograd.backward(ends, [torch.ones_like(end) for end in ends])

    def fails_after_change_of(self, name: str) -> bool:
        with torch.no_grad():
            self.tensors[name].add_(0)
        try:
            self.backward()
        except RuntimeError as error:
            assert "modified by an inplace operation" in str(error)
            return True
        return False


def can_be_asked(operator: str, needing_grad: frozenset[str]) -> bool:
    """Whether the operator runs at all on the tensors that we have, and is differentiated."""
    try:
        run = Run(operator, needing_grad)
        run.backward()
    except (IndexError, NotImplementedError, RuntimeError):
        return False
    return any(result.requires_grad for result in run.results)


def kept_under(saved: Sequence[Saved], needing_grad: frozenset[str]) -> set[str]:
    return {s.value for s in saved if s.needed_by is None or s.needed_by in needing_grad}


def choices(operator: str) -> list[frozenset[str]]:
    given = arguments_of(operator)
    if given is None:
        return []
    floating = [
        declared.name
        for declared, value in zip(overload(operator)._schema.arguments, given, strict=False)
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    ]
    picked = [frozenset(c) for size in range(1, len(floating) + 1) for c in combinations(floating, size)]
    return [needing_grad for needing_grad in picked if can_be_asked(operator, needing_grad)]


def exists(operator: str) -> bool:
    packet, _, name = operator.partition(".")
    return (
        hasattr(torch.ops.aten, packet) and (name or "default") in getattr(torch.ops.aten, packet).overloads()
    )


ASKED = [operator for operator in FACTS.saves if exists(operator) and choices(operator)]


def test_most_everyday_operators_are_asked() -> None:
    assert set(ARGUMENTS) <= set(ASKED)
    assert len(ASKED) >= 200


@pytest.mark.parametrize("operator", ASKED)
def test_torch_keeps_exactly_what_the_facts_say(operator: str) -> None:
    for needing_grad in choices(operator):
        expected = kept_under(FACTS.saves[operator], needing_grad)
        for name, tensor in Run(operator, needing_grad).tensors.items():
            if can_change(tensor) and not (name == "self" and works_in_place(operator)):
                seen = Run(operator, needing_grad).fails_after_change_of(name)
                assert seen == (name in expected), f"{name}, where {set(needing_grad)} require grad"


def works_in_place(operator: str) -> bool:
    """Then `self` is the result, and goes by that name."""
    return operator.partition(".")[0].endswith("_")


def can_change(tensor: torch.Tensor) -> bool:
    try:
        with torch.no_grad():
            tensor.add_(0)
    except (RuntimeError, NotImplementedError):
        return False
    return True
