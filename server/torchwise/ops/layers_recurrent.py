"""Recurrent layers: (time, batch, features), (batch, time, features) with `batch_first`, or without a batch.

A batch-first output is a transposed view of the time-first one, so it is not contiguous. An LSTM gives its
output and (hidden, cell); the others output and hidden.
"""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.dim import Dim
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, NONE, Const, Items, Num, Obj, Pointer, Shape, Tensor, Value
from torchwise.ops.agreement import axis, elsewhere, layer_device, layer_dtype, rank
from torchwise.ops.layers import at_least, flag, layer, optional, parameter
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op

ONE = Dim.of(1)
GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}
PACKED = "torch.nn.utils.rnn.PackedSequence"
MOST_LAYERS = 64


# What a layer holds


def _weights(gates: int) -> Callable[[Given], dict[str, Value]]:
    def holds(given: Given) -> dict[str, Value]:
        layers, both, biased = given.int("num_layers"), flag(given, "bidirectional"), flag(given, "bias")
        sizes = given.dim("input_size"), given.dim("hidden_size"), given.dim("proj_size", 0)
        if layers is None or both is None or layers > MOST_LAYERS or None in sizes:
            return {}
        inner, hidden, projected = sizes
        assert inner is not None and hidden is not None and projected is not None
        out = hidden if projected.number == 0 else projected
        held: dict[str, Value] = {}
        for number in range(layers):
            for suffix in ("", "_reverse") if both else ("",):
                here = f"_l{number}{suffix}"
                size = inner if number == 0 else out * (2 if both else 1)
                held["weight_ih" + here] = parameter(given, hidden * gates, size)
                held["weight_hh" + here] = parameter(given, hidden * gates, out)
                for name in ("bias_ih", "bias_hh"):
                    bias = optional(given, biased, hidden * gates)
                    held |= {name + here: bias} if bias != NONE else {}
                if projected.number != 0:
                    held["weight_hr" + here] = parameter(given, projected, hidden)
        return held

    return holds


def _needs(given: Given) -> tuple[Broken, ...]:
    broken = at_least(given, 1, "hidden_size", "num_layers") + at_least(given, 0, "input_size", "proj_size")
    dropout = given.const("dropout", 0.0)
    if isinstance(dropout, int | float) and not 0 <= dropout <= 1:
        broken += (Broken("argument", "dropout", wanted="between 0 and 1", got=dropout),)
    projected, hidden = given.dim("proj_size", 0), given.dim("hidden_size")
    if projected is not None and hidden is not None and projected.number != 0:
        if hidden.less_than(projected + 1).holds:
            broken += (Broken("argument", "proj_size", "hidden_size", wanted=hidden, got=projected),)
    return broken


# What a call gives


def _recurrent(cls: str) -> Returns:
    def call(given: Given) -> Outcome:
        obj, x = given.obj(), given["input"]
        if obj is None:
            return Outcome(ANY)
        if isinstance(x, Pointer):
            return Outcome(_of_packed(given, obj, x, cls))
        if not isinstance(x, Tensor):
            return Outcome(_results(Tensor() if x is ANY else ANY, Tensor(), Tensor(), cls))
        weight = obj.attrs.get("weight_ih_l0")
        weight = weight if isinstance(weight, Tensor) else None
        dtype, broken = layer_dtype(given, x, weight, lowered=False)
        device, apart = layer_device(x, weight)
        broken += apart + rank("input", x, 2, 3) + elsewhere(given, _placed(x, weight), "hx")
        if x.shape is None or len(x.shape) not in (2, 3):
            blank = Tensor(None, None, dtype, device)
            return Outcome(_results(blank, blank, blank, cls), broken)
        broken += axis("input", "input_size", _size(obj, "input_size"), x.shape[-1], weight)
        made = _shapes(given, obj, x.shape)
        out, hidden, cell = (Tensor(shape, strides, dtype, device) for shape, strides in made)
        return Outcome(
            _results(out, hidden, cell, cls), broken + _state_faults(given, cls, (hidden, cell), broken)
        )

    return call


def _placed(x: Tensor, weight: Tensor | None) -> Tensor:
    """What says where the call runs."""
    return x if x.device is not None or weight is None else weight


def _results(out: Value, hidden: Value, cell: Value, cls: str) -> Value:
    return Items((out, Items((hidden, cell)) if cls == "LSTM" else hidden))


def _size(obj: Obj, name: str) -> Dim | None:
    value = obj.attrs.get(name)
    return value.dim if isinstance(value, Num) else None


def _shapes(given: Given, obj: Obj, shape: Shape) -> tuple[tuple[Shape | None, Shape | None], ...]:
    """Shapes and strides of output, hidden and cell state."""
    hidden, layers, projected = (_size(obj, n) for n in ("hidden_size", "num_layers", "proj_size"))
    hidden = given.fresh("hidden") if hidden is None else hidden
    layers = given.fresh("layers") if layers is None else layers
    out = hidden if projected is None or projected.number == 0 else projected
    ways = obj.attrs.get("bidirectional", Const(False))
    if not isinstance(ways, Const):
        wide, deep = given.fresh("wide"), given.fresh("deep")
    else:
        wide, deep = (out * 2, layers * 2) if ways.value else (out, layers)
    if len(shape) == 2:
        states: tuple[Shape, ...] = ((deep, out), (deep, hidden))
        output: Shape = (shape[0], wide)
        return (output, contiguous_strides(output)), *((s, contiguous_strides(s)) for s in states)
    first = obj.attrs.get("batch_first", Const(False))
    if not isinstance(first, Const):
        blank: tuple[Shape | None, Shape | None] = ((given.fresh("a"), given.fresh("b"), wide), None)
        state = (deep, given.fresh("batch"), out)
        return blank, (state, None), ((*state[:2], hidden), None)
    output = (shape[0], shape[1], wide)
    batch = shape[0] if first.value else shape[1]
    strides = contiguous_strides(output)
    if first.value:
        strides = (wide, batch * wide, ONE) if batch.number != 0 and shape[1].number != 0 else strides
    states = ((deep, batch, out), (deep, batch, hidden))
    return (output, strides), *((s, contiguous_strides(s)) for s in states)


def _state_faults(
    given: Given, cls: str, wanted: tuple[Tensor, Tensor], broken: tuple[Broken, ...]
) -> tuple[Broken, ...]:
    """The state that is handed in must have the shape of the one that comes out."""
    state = given.get("hx", NONE)
    if broken or state == NONE:
        return ()
    parts = given.list("hx") if cls == "LSTM" else (state,)
    for part, like in zip(parts or (), wanted):
        if not isinstance(part, Tensor) or part.shape is None or like.shape is None:
            continue
        if len(part.shape) != len(like.shape):
            return rank("hx", part, len(like.shape))
        for i, (size, got) in enumerate(zip(like.shape, part.shape)):
            clash = axis(
                "hx",
                ("layers", "batch", "hidden_size")[i if len(like.shape) == 3 else i * 2],
                size,
                got,
                part,
            )
            if clash:
                return clash
    return ()


def _of_packed(given: Given, obj: Obj, x: Pointer, cls: str) -> Value:
    packed = given.heap.get(x.to)
    if packed is None or packed.cls != PACKED:
        return _results(ANY, ANY, ANY, cls)
    return _results(x, Tensor(), Tensor(), cls)


# Cells: one step


def _cell(gates: int) -> Returns:
    def call(given: Given) -> Outcome:
        obj, x = given.obj(), given["input"]
        if obj is None or not isinstance(x, Tensor):
            return Outcome(Items((Tensor(), Tensor())) if gates == 4 else Tensor())
        weight = obj.attrs.get("weight_ih")
        weight = weight if isinstance(weight, Tensor) else None
        dtype, broken = layer_dtype(given, x, weight, lowered=False)
        device, apart = layer_device(x, weight)
        broken += apart + rank("input", x, 1, 2) + elsewhere(given, _placed(x, weight), "hx")
        hidden = _size(obj, "hidden_size")
        shape = None
        if x.shape is not None and len(x.shape) in (1, 2):
            broken += axis("input", "input_size", _size(obj, "input_size"), x.shape[-1], weight)
            shape = (*x.shape[:-1], given.fresh("hidden") if hidden is None else hidden)
        out = Tensor(shape, None if shape is None else contiguous_strides(shape), dtype, device)
        broken += _cell_state(given, gates, shape, broken)
        return Outcome(Items((out, out)) if gates == 4 else out, broken)

    return call


def _cell_state(
    given: Given, gates: int, shape: Shape | None, broken: tuple[Broken, ...]
) -> tuple[Broken, ...]:
    state = given.get("hx", NONE)
    if broken or state == NONE or shape is None:
        return ()
    for part in (given.list("hx") or ()) if gates == 4 else (state,):
        if isinstance(part, Tensor) and part.shape is not None:
            if len(part.shape) != len(shape):
                return rank("hx", part, len(shape))
            for i, name in zip((-1, 0), ("hidden_size", "batch")):
                clash = axis("hx", name, shape[i], part.shape[i], part)
                if clash:
                    return clash
    return ()


def _cell_weights(gates: int) -> Callable[[Given], dict[str, Value]]:
    def holds(given: Given) -> dict[str, Value]:
        inner, hidden, biased = given.dim("input_size"), given.dim("hidden_size"), flag(given, "bias")
        rows = None if hidden is None else hidden * gates
        return {
            "weight_ih": parameter(given, rows, inner),
            "weight_hh": parameter(given, rows, hidden),
            "bias_ih": optional(given, biased, rows),
            "bias_hh": optional(given, biased, rows),
        }

    return holds


SHARED = "bias=True batch_first=False dropout=0.0 bidirectional=False "
ARGUMENTS = {
    "RNN": f"input_size hidden_size num_layers=1 nonlinearity='tanh' {SHARED}device=None dtype=None",
    "LSTM": f"input_size hidden_size num_layers=1 {SHARED}proj_size=0 device=None dtype=None",
    "GRU": f"input_size hidden_size num_layers=1 {SHARED}device=None dtype=None",
}
for _cls, _gates in GATES.items():
    layer(
        f"torch.nn.{_cls}",
        ARGUMENTS[_cls],
        home="rnn",
        holds=_weights(_gates),
        needs=_needs,
        call=_recurrent(_cls),
        does=_cls.lower(),
        params="input hx",
        saves="inside",
        bases="torch.nn.RNNBase",
    )
    op(
        f"torch.nn.{_cls}.flatten_parameters",
        params="self",
        returns=lambda given: NONE,
        grad="cut",
        tags="pure",
        source=f"generated/torch.nn.{_cls}.html",
    )
    layer(
        f"torch.nn.{_cls}Cell",
        "input_size hidden_size bias=True "
        + ("nonlinearity='tanh' " if _cls == "RNN" else "")
        + "device=None dtype=None",
        home="rnn",
        holds=_cell_weights(_gates),
        needs=lambda given: at_least(given, 0, "input_size", "hidden_size"),
        call=_cell(_gates),
        does=f"{_cls.lower()}_cell",
        params="input hx",
        saves="input result" if _cls == "RNN" else "input",
        bases="torch.nn.RNNCellBase",
    )
