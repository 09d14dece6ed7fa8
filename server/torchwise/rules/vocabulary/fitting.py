"""How the arguments of a call lie to each other and to the batch: rows and columns, a reduction and what
it was made of, a tensor that grows.
"""

from __future__ import annotations

import re
import typing

from torchwise.domain.batches import Batches, batches_of
from torchwise.domain.value import NONE, Const, Items, Num, Slice, Tensor
from torchwise.domain.verdict import HOLDS
from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir
from torchwise.ops.einsum import parsed
from torchwise.ops.pointwise import IN_FLOAT32
from torchwise.rules.vocabulary.happening import refs_within

if typing.TYPE_CHECKING:
    from torchwise.rules.vocabulary.call import Call
    from torchwise.rules.vocabulary.operand import Operand
    from torchwise.rules.vocabulary.reading import Reading

WIDENS = re.compile(
    r"(\.(unsqueeze|view|reshape|expand|expand_as)\([^()]*\)|\[(?=[^\[\]]*None)[^\[\]]*\]|keepdim=True\))"
    r"($|\s*[-+*/<>=&|])"  # and not within an argument
)


ELEMENTWISE = IN_FLOAT32 | frozenset(
    (
        "add",
        "sub",
        "mul",
        "div",
        "neg",
        "abs",
        "sqrt",
        "square",
        "sin",
        "cos",
        "tanh",
        "sigmoid",
        "lgamma",
        "digamma",
    )
    + ("clamp", "float", "to", "detach")
)


def picks(index: Operand) -> bool:
    """Whether an index is or has a mask or a list of positions, so that what it gives is a copy."""
    parts = [v.items if isinstance(v, Items) else (v,) for v in index.values]
    tensors = [[p for p in inner if isinstance(p, Tensor)] for inner in parts]
    listed = all(a.cls == "list" for a in index.args)
    return listed or all(any(t.dtype == "bool" or t.rank for t in found) for found in tensors)


def takes_last(index: Operand, axis: int) -> bool:
    """Whether an index takes the last place of an axis, and all of those before it."""
    parts = index.value.items if isinstance(index.value, Items) else (index.value,)
    last = parts[axis] if len(parts) > axis else None
    all_before = all(p == Slice(NONE, NONE, NONE) for p in parts[:axis])
    return all_before and isinstance(last, Num) and last.dim.number == -1


def one_for_each_row(mask: Operand, scores: Operand, dim: object) -> bool:
    """Whether a mask has one entry where the scores that it fills have several along an axis."""
    theirs, mine = scores.tensor, mask.tensor
    if theirs is None or mine is None or not theirs.shape or not mine.shape or not isinstance(dim, int):
        return False
    back = dim if dim < 0 else dim - len(theirs.shape)  # counted from behind, as broadcasting does
    several = -len(theirs.shape) <= back < 0 and theirs.shape[back].number != 1
    return several and -back <= len(mine.shape) and mine.shape[back].number == 1


def summed_alone(equation: str, number: int, dim: object) -> str:
    """The letter of an axis of an operand that stands nowhere else in an equation of several: its sum is
    taken before all else. "" where it is another.
    """
    read = parsed(equation)
    term = read.inputs[number] if number < len(read.inputs) > 1 else ()
    if read.wrong or not isinstance(dim, int) or "..." in term or not -len(term) <= dim < len(term):
        return ""
    letter = term[dim]
    everywhere = [n for one in (*read.inputs, read.output) for n in one]
    return letter if everywhere.count(letter) == 1 else ""


def widened(operand: Operand, depth: int = 6) -> bool:
    """Whether the call that it comes from is there to add an axis, so that broadcasting is meant; or what
    that call computes with, element by element.
    """
    if any(WIDENS.search(operand.reading.text_at(site)) for site in operand.origins):
        return True
    made, tensor = operand.made_only_by(*ELEMENTWISE), operand.tensor
    if made is None or tensor is None or not depth:
        return False
    alike = [o for o in made.operands if o.tensor is not None and o.tensor.shape == tensor.shape]
    return any(widened(o, depth - 1) for o in alike)


GRIDS = ("arange", "linspace", "logspace", "range")


def on_a_grid(operand: Operand, depth: int = 6) -> bool:
    """Whether it is made of a grid of points and of numbers alone: of times, positions or frequencies. A column
    goes with all of them.
    """
    if operand.made_only_by(*GRIDS) is not None:
        return True
    made = operand.made_only_by(*ELEMENTWISE)
    parts = [o for o in made.operands if o.tensor is not None] if made is not None and depth else []
    return bool(parts) and all(on_a_grid(part, depth - 1) for part in parts)


MOVED = frozenset(("distinct", "positions"))  # what picks each column once at most


def a_column_for_each_row(index: Operand, source: Operand) -> bool:
    """Whether `source[:, index]` takes, of (N, C), as many columns as there are rows: one was meant for each row.

    Where both are numbers, the columns must be too few to be as many different ones.
    """
    parts, tensor = index.value, source.tensor
    if not isinstance(parts, Items) or len(parts.items) != 2 or tensor is None or tensor.shape is None:
        return False
    rows, columns = parts.items
    if rows != Slice(NONE, NONE, NONE) or not isinstance(columns, Tensor) or columns.dtype == "bool":
        return False
    if len(tensor.shape) != 2 or columns.shape is None or len(columns.shape) != 1:
        return False
    count, (height, width) = columns.shape[0], tensor.shape
    if count != height or not MOVED.isdisjoint(index.natures_of_parts):
        return False
    return width.less_than(count) is HOLDS or (count.number is None and width != count)


def picked_alike(scope: Reading, index: Operand, source: Operand) -> bool:
    """`square[chosen, :][:, chosen]`: the rows were taken by the same index."""
    made = [scope.call_at(site) for site in source.tensor.calls] if source.tensor is not None else []
    rows = [call["index"] for call in made if call is not None and call.op == "getitem"]
    return any(row is not None and not set(_tensors_of(row)).isdisjoint(_tensors_of(index)) for row in rows)


def _tensors_of(index: Operand) -> list[Tensor]:
    parts = index.value.items if isinstance(index.value, Items) else (index.value,)
    return [part for part in parts if isinstance(part, Tensor)]


def reduced_from(call: Call) -> tuple[Operand, Operand] | None:
    """The two sides of `x / x.sum(dim=1)`: what was reduced along its last axis without keeping it, and the result.

    Only where x is as high as it is wide, so that the result is stretched along the wrong axis without a word.
    """
    sides = [o for o in (call["input"], call["other"]) if o is not None]
    for whole, part in (sides, sides[::-1]) if len(sides) == 2 else ():
        made, tensor = _reduction(part, divides=call.op == "div"), whole.tensor
        if made is None or tensor is None or tensor.shape is None or len(tensor.shape) != 2:
            continue
        source, dim, kept = made["input"] or made["self"], made["dim"], made["keepdim"]
        last = dim is not None and isinstance(dim.value, Num) and dim.value.dim.number in (1, -1)
        if source is None or not last or (kept is not None and kept.constant is not False):
            continue
        square = tensor.shape[0] == tensor.shape[1] and tensor.shape[0].number != 1
        if (
            square
            and source.text == whole.text
            and source.tensor is not None
            and source.tensor.id == tensor.id
        ):
            return whole, part
    return None


def _reduction(part: Operand, divides: bool) -> Call | None:
    """The call that reduced; of a divisor, also under what keeps it from being zero."""
    made = part.made_only_by()
    for _ in range(2 if divides else 0):
        guard = made if made is not None and made.op in GUARDS else None
        sides = [guard[name] for name in ("input", "other", "min", "max")] if guard is not None else []
        tensors = [
            side for side in sides if side is not None and side.tensor is not None and side.tensor.shape != ()
        ]
        made = tensors[0].made_only_by() if len(tensors) == 1 else made
    return made if made is not None and (made.op in REDUCTIONS or made.spelling in REDUCTIONS) else None


GUARDS = frozenset(("clamp", "clamp_min", "clip", "add"))
REDUCTIONS = ("sum", "mean", "norm", "vector_norm", "std", "var", "amax", "amin", "logsumexp")


def batch_of(source: Operand) -> Batches | None:
    """Of a tensor whose first axis is the batch of a loader: its sizes; all 0 where the last one is not known."""
    tensor = source.tensor
    if tensor is None or not tensor.shape or len(tensor.shape) < 2:
        return None
    for name in tensor.shape[0].symbols if tensor.shape[0].number is None else ():
        if name.startswith(("?rest", "?batch")):
            return batches_of(name) or Batches(0, 0, 0)
    return None


def grown_by(call: Call) -> str | None:
    """The name that `rows = torch.cat([rows, more])` makes longer in each turn, and that its loop does not read."""
    scope = call.reading.facts.scope
    made = definitions(scope)
    names = [i.name for i in made.values() if isinstance(i, ir.Store) and i.value == call.ref]
    built = call["tensors"]
    parts = made.get(built.ref or 0) if built is not None else None
    if (
        len(names) != 1
        or not isinstance(parts, ir.Build)
        or not isinstance(made.get(call.loops[-1]), ir.Loop)
    ):
        return None
    inside = refs_within(made[call.loops[-1]])
    loads = [
        i.out for i in made.values() if isinstance(i, ir.Load) and i.name == names[0] and i.out in inside
    ]
    stores = [i for i in made.values() if isinstance(i, ir.Store) and i.name == names[0] and i.out in inside]
    own = [a.ref for a in parts.items if a.ref in loads]
    return names[0] if len(own) == 1 and own == loads and len(stores) == 1 else None


def is_mask(operand: Operand) -> bool:
    """Whether it says what counts or what is left out: by how it was made, or by what everybody calls it."""
    if operand.nature in ("keep", "drop"):
        return True
    made = operand.made_only_by("isnan", "isinf", "isfinite")
    return made is None and any(MASK.search(word) for word in operand.reading.words_in(operand.ref))


MASK = re.compile(r"(^|_)(masks?|pad|padding|causal|keep|valid|allowed|future)(_|$)")


def texts_of(operand: Operand) -> list[str]:
    """The texts that it is, on whatever path or turn, each once."""
    found = [v.value for v in operand.values if isinstance(v, Const)]
    return sorted({text for text in found if isinstance(text, str)})


def of_one_class(scores: Operand) -> bool:
    """Whether the second axis, of the classes, has one place, on every path; of a single example it may be
    one of several.
    """
    shapes = [value.shape if isinstance(value, Tensor) else None for value in scores.values]
    return bool(shapes) and all(
        shape is not None and len(shape) > 1 and shape[1].number == 1 and shape[0].number not in (0, 1)
        for shape in shapes
    )
