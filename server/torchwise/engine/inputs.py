"""What a function or module is called with, as far as it is certain: enough to call it for real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torchwise.domain.dim import Dim
from torchwise.domain.value import Const, Num, Tensor, Value
from torchwise.engine.reading import Run
from torchwise.ir.nodes import Param
from torchwise.record import record

SIZE = 8  # of an axis that has a name and no number


@record
class Input:
    """A tensor's form; or, where `shape` is None, a plain value."""

    name: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    value: object = None


class Unclear(Exception):
    """The text says which argument is not known, and what of it."""


def inputs(runs: Iterable[Run], path: str, entry: str) -> list[Input] | str:
    """Those of a call that the project makes of it; of its parameters, where nobody calls it; or why they are
    not clear.
    """
    try:
        return _inputs(list(runs), path, entry)
    except Unclear as error:
        return str(error)


def _inputs(runs: list[Run], path: str, entry: str) -> list[Input]:
    scopes = {f"{path}::{entry}", f"{path}::{entry}.forward"}
    own = [run for run in runs if run.facts.key in scopes]
    if not own:
        raise Unclear(f"`{entry}` is no function or class of the file")
    variants = [made.variant for run in runs for made in run.facts.entered if made.variant.scope in scopes]
    given: list[Mapping[str, Value | None]]
    given = [dict(variant.args) for variant in variants if variant.args is not None]
    generic = {
        param.name: own[0].facts.values.get(-n - 1) for n, param in enumerate(own[0].facts.scope.params)
    }
    reason = Unclear(f"nothing is known of the arguments of `{entry}`")
    for values in (*given, generic):
        try:
            return _of_call(_without_self(own[0]), values)
        except Unclear as error:
            reason = error
    raise reason


def _without_self(run: Run) -> tuple[Param, ...]:
    params = run.facts.scope.params
    is_method = bool(run.facts.order) and bool(params)
    return params[1:] if is_method else params


def _of_call(params: tuple[Param, ...], values: Mapping[str, Value | None]) -> list[Input]:
    """Arguments go by position, so the first that is left to its default ends them."""
    found: list[Input] = []
    for param in params:
        value = values.get(param.name)
        if param.kind not in ("ordinary", "positional"):
            break
        try:
            found.append(_input(param.name, value))
        except Unclear:
            if param.default:
                break
            raise
    return found


def _input(name: str, value: Value | None) -> Input:
    match value:
        case Num(dim):
            return Input(name, value=_size(name, dim))
        case Const(constant) if constant is None or isinstance(constant, bool | float | str):
            return Input(name, value=constant)
        case Tensor(shape=None):
            raise Unclear(f"the shape of `{name}` is not known")
        case Tensor(shape=shape, dtype=dtype):
            assert shape is not None
            return Input(name, tuple(_size(name, dim) for dim in shape), dtype)
        case _:
            raise Unclear(f"nothing is known of `{name}`")


def _size(name: str, dim: Dim) -> int:
    if dim.hidden:
        raise Unclear(f"the sizes of `{name}` are not known")
    number = dim.with_names({symbol: Dim.of(SIZE) for symbol in dim.symbols}).number
    if number is None:
        raise Unclear(f"the sizes of `{name}` are not known")
    return number
