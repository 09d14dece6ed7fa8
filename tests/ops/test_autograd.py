"""What rows say of autograd and memory is so: what requires grad, what is kept, what shares memory.

A row may keep silent. But where it says that a tensor is kept for backward, changing it in place must make
backward fail; and a result that it calls a view must lie in the memory of its input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.calls import CALLS
from tests.ops.draw import Draw
from tests.ops.judge import Drawn, answer, concrete, function
from tests.ops.test_pointwise import ROWS, arguments_for
from tests.ops.test_tensors import PATHS
from torchwise.domain.value import Items, Tensor
from torchwise.ops.spec import OPS, Op, Outcome

pytestmark = pytest.mark.filterwarnings("ignore")
EXAMPLES = settings(max_examples=8, derandomize=True, deadline=None, database=None)
FLOATING = ("float32", "float64", "bfloat16", "float16", "complex64")


LOGICAL = ("logical_and_", "logical_or_", "logical_xor_")
ONLY_THE_FIRST = ("view_as", "reshape_as", "expand_as", "type_as", "meshgrid", "broadcast_tensors", *LOGICAL)


def drawn(path: str, seed: int) -> tuple[list[Any], dict[str, Any]]:
    if path in CALLS:
        return CALLS[path][0](Draw(seed))
    return arguments_for(path, Draw(seed))


def tensors_in(x: Any) -> Iterator[torch.Tensor]:
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, tuple | list):
        for part in x:
            yield from tensors_in(part)


class Call:
    """One call with fresh tensors, of which those at `wanting` require grad (and are no leaves)."""

    def __init__(self, path: str, arguments: list[Any], named: dict[str, Any], wanting: set[int]) -> None:
        self.path, self.named = path, {name: concrete(x) for name, x in named.items()}
        self.arguments: list[Any] = []
        for i, x in enumerate(arguments):
            real = concrete(x)
            if isinstance(x, Drawn):
                copy = torch.empty_strided(real.shape, real.stride(), dtype=real.dtype).copy_(real)
                real = copy.requires_grad_().view_as(copy) if i in wanting else copy
            self.arguments.append(real)

    def run(self) -> Any:
        try:
            with torch.enable_grad():
                return function(self.path)(*self.arguments, **self.named)
        except (RuntimeError, ValueError, IndexError, TypeError):
            return None


def wanting_sets(arguments: list[Any]) -> list[set[int]]:
    floats = [i for i, x in enumerate(arguments) if isinstance(x, Drawn) and x.real.is_floating_point()]
    return [{i} for i in floats] + ([set(floats)] if len(floats) > 1 else [])


def kept(op: Op, arguments: list[Any], wanting: set[int]) -> set[str]:
    """What is kept according to the row, as the interpreter reads it."""
    places = {
        name: i for i, name in enumerate(op.params) if i < len(arguments) and isinstance(arguments[i], Drawn)
    }
    out = set()
    for entry in op.saves:
        what, _, needed_for = entry.partition("<")
        if what == "result":
            out.add(what)
        elif what in places:
            others = [i for name, i in places.items() if name != what] or [places[what]]
            asked = (
                [places[name] for name in needed_for.split(",") if name in places] if needed_for else others
            )
            if wanting & set(asked):
                out.add(what)
    return out


@pytest.mark.parametrize("path", sorted({*PATHS, *ROWS}))
@EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_what_a_row_says_of_gradients_and_memory_is_so(path, seed):
    arguments, named = drawn(path, seed)
    spelling = path.split()[0]
    op = OPS[spelling]
    if any(0 in x.real.shape for x in arguments if isinstance(x, Drawn)):
        return
    found, bound = answer(spelling, tuple(arguments), named, symbolic=False)
    for wanting in wanting_sets(arguments):
        call = Call(spelling, arguments, named, wanting)
        result = call.run()
        if result is None or found.broken:
            return
        text = f"{spelling} with gradients for {sorted(op.params[i] for i in wanting if i < len(op.params))}"
        check_gradients(op, found, result, text)
        check_memory(op, found, bound, call, result, text)
        if op.name == "matmul" and any(x.real.dim() > 2 for x in arguments):
            continue  # wrong: of batches that do not lie together, a copy is kept
        for what in sorted(kept(op, arguments, wanting)):
            check_kept(op, what, Call(spelling, arguments, named, wanting), text)


def check_gradients(op: Op, found: Outcome, result: Any, text: str) -> None:
    values = found.result.items if isinstance(found.result, Items) else (found.result,)
    for value, real in zip(values, result if isinstance(result, tuple | list) else (result,)):
        known = isinstance(value, Tensor) and value.dtype is not None and isinstance(real, torch.Tensor)
        if known and (real.is_floating_point() or real.is_complex()):
            says = op.grad == "record" and value.dtype in FLOATING
            if op.name in ONLY_THE_FIRST and not real.requires_grad:
                continue  # wrong: an input counts that only lends its shape or dtype
            assert real.requires_grad == says, (
                f"{text}: requires_grad is {real.requires_grad}, the row says {says}"
            )


def check_memory(op: Op, found: Outcome, bound: dict[str, Any], call: Call, result: Any, text: str) -> None:
    value = found.result
    if not isinstance(value, Tensor) or not isinstance(result, torch.Tensor):
        return
    sources = {name: x for name, x in zip(op.params, call.arguments) if isinstance(x, torch.Tensor)}
    for name, real in sources.items():
        given_value = bound.get(name)
        says = (
            op.view == name
            or op.inplace == name
            or (isinstance(given_value, Tensor) and value.storage == given_value.storage)
        )
        if says:
            assert result.untyped_storage().data_ptr() == real.untyped_storage().data_ptr(), (
                f"{text}: `{name}` is copied"
            )


def check_kept(op: Op, what: str, call: Call, text: str) -> None:
    result = call.run()
    outputs = [x for x in tensors_in(result) if x.requires_grad and x.dtype.is_floating_point]
    if not outputs:
        return
    target = outputs[0] if what == "result" else call.arguments[op.params.index(what)]
    try:
        with torch.no_grad():
            target.copy_(target.clone())
    except RuntimeError:
        return  # memory that overlaps itself cannot be written
    total = sum(x.sum() for x in outputs)
    try:
        total.backward()
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error), f"{text}: {error}"
        return
    raise AssertionError(f"{text}: the row says that `{what}` is kept, but backward does not miss it")
