"""One argument of a call, in all of its executions."""

from __future__ import annotations

import typing
from dataclasses import dataclass

from torchwise.domain.join import join, show
from torchwise.domain.nature import maker_of, word_of
from torchwise.domain.regrouping import moved_axes
from torchwise.domain.sharing import in_one_memory, laid_alike
from torchwise.domain.value import NONE, Const, Items, Many, Num, Pointer, Site, Slice, Tensor, Value
from torchwise.flow.definitions import definitions
from torchwise.flow.facts import Arg
from torchwise.ir import nodes as ir
from torchwise.rules import structure
from torchwise.rules.vocabulary.flag import Flag
from torchwise.rules.wording import quoted, shape_of

if typing.TYPE_CHECKING:
    from torchwise.rules.vocabulary.call import Call
    from torchwise.rules.vocabulary.reading import Reading

CONVERSIONS = frozenset(
    ["long", "int", "to", "float", "round", "view", "reshape", "squeeze", "flatten", "cpu", "detach"]
)


_SHIFTED = [{(by, None), (None, -by)} for by in (1, 2)] + [{(by, None), (0, -by)} for by in (1, 2)]


@dataclass(frozen=True, eq=False)
class Operand:
    """An argument of a call, or the object that a method was called on (`call["self"]`)."""

    call: Call
    param: str
    args: tuple[Arg, ...]

    @property
    def reading(self) -> Reading:
        return self.call.reading

    @property
    def ref(self) -> int | None:
        return self.args[0].ref

    @property
    def text(self) -> str:
        return self.reading.text(self.ref) or self.param

    @property
    def at(self) -> Site:
        return self.reading.site(self.ref if self.ref is not None else self.call.ref)

    @property
    def value(self) -> Value:
        return joined([a.value for a in self.args])

    @property
    def values(self) -> list[Value]:
        """Its value in each execution."""
        return [a.value for a in self.args]

    @property
    def shown(self) -> str:
        return show(self.value)

    @property
    def quoted(self) -> str:
        """Its source, as a message quotes it."""
        return quoted(self)

    @property
    def sizes(self) -> str:
        """Its shape, where it is a tensor of known rank."""
        return shape_of(self.tensor) if self.tensor is not None and self.tensor.shape is not None else ""

    @property
    def nature(self) -> str:
        """What its numbers are: a word of `domain.nature`."""
        return word_of(self.tensor.nature) if self.tensor is not None else ""

    @property
    def made_by_nature(self) -> Site | None:
        """The call that made its numbers what they are."""
        return maker_of(self.tensor.nature) if self.tensor is not None else None

    @property
    def takes_from_axis_1(self) -> bool:
        """Of an index: all of the first axis, and one place of the second."""
        parts = _parts(self.value)
        return (
            len(parts) == 2
            and parts[0] == Slice(NONE, NONE, NONE)
            and isinstance(parts[1], Num)
            and parts[1].dim.number in (0, -1)
        )

    def is_column_of(self, other: Operand | None) -> bool:
        """Whether this is (N, 1) and the other (N,), with N more than 1."""
        mine, theirs = self.tensor, other.tensor if other is not None else None
        if mine is None or theirs is None or mine.shape is None or theirs.shape is None:
            return False
        return len(mine.shape) == 2 and len(theirs.shape) == 1 and mine.shape[1].number == 1 and (
            mine.shape[0] == theirs.shape[0] and mine.shape[0].number != 1
        )  # fmt: skip

    def reordered_by(self, call: Call) -> tuple[str, str] | None:
        """The parts of its shape and of the call's result between which axes would have to change places."""
        result = call.result
        if (
            self.tensor is None
            or self.tensor.shape is None
            or not isinstance(result, Tensor)
            or result.shape is None
        ):
            return None
        moved = moved_axes(self.tensor.shape, result.shape)
        return (shape_of(Tensor(moved[0])), shape_of(Tensor(moved[1]))) if moved else None

    @property
    def overlaps_itself(self) -> bool:
        """Whether several of its elements certainly share one place in memory: strides of 0 along more
        than one element.
        """
        tensor = self.tensor
        if tensor is None or tensor.shape is None or tensor.strides is None:
            return False
        return any(
            t.number == 0 and s.number not in (0, 1) and not s.hidden
            for s, t in zip(tensor.shape, tensor.strides, strict=True)
        )

    @property
    def repeats_rows(self) -> bool:
        """Whether it was expanded along some axis, perhaps to one element."""
        tensor = self.tensor
        if tensor is None or tensor.shape is None or tensor.strides is None:
            return False
        along = zip(tensor.shape, tensor.strides, strict=True)
        return any(t.number == 0 and s.number not in (0, 1) for s, t in along)

    def same_place(self, other: Operand) -> bool:
        """Of two that share their memory: whether both are all of it, none a part."""
        parts = ("getitem", "narrow", "select", "chunk", "split", "unbind", "diagonal", "unfold")
        whole = all(o.made_only_by(*parts) is None for o in (self, other))
        return whole and all(laid_alike(*pair) for pair in zip(self.values, other.values, strict=False))

    @property
    def handed_over(self) -> bool:
        """Whether it is what a caller of a module's forward gave, untouched."""
        untouched = all(isinstance(v, Tensor) and v.id is not None and v.id.scope == "^" for v in self.values)
        return untouched and self.reading.in_module and self.reading.name == "forward"

    @property
    def is_result(self) -> bool:
        """Whether it is certainly the result of a computation that gradients flow to, and no leaf."""
        return self.needs_grad and all(isinstance(v, Tensor) and v.leaf.fails for v in self.values)

    def is_same(self, other: Operand) -> bool:
        """Whether both are one tensor, under whatever name."""
        mine, theirs = self.tensor, other.tensor
        return mine is not None and theirs is not None and mine.id is not None and mine.id == theirs.id

    @property
    def needs_grad(self) -> bool:
        """Whether gradients certainly flow to it."""
        return all(isinstance(v, Tensor) and v.requires_grad.holds for v in self.values)

    def values_of(self, op: str) -> bool:
        """Whether these are certainly the values, not the indices, that a call of this scope gave, perhaps
        converted since.
        """
        made = [s for v in self.values for s in (v.calls if isinstance(v, Tensor) else (None,))]
        places = {None if s is None else (s.scope, s.ref, s.part) for s in made}  # whatever the turn
        if len(places) != 1 or (site := made[0]) is None:
            return False
        owner = self.reading.call_at(Site(site.scope, site.ref, site.turn, site.part.removesuffix(".0")))
        if owner is None or (owner.op == op and not site.part.endswith(".0")):
            return False
        if owner.op == op:
            return "dim" in owner
        source = owner["self"] or owner["input"]
        return owner.op in CONVERSIONS and source is not None and source.values_of(op)

    def shares_storage(self, other: Operand | None) -> bool:
        """Whether both are certainly views of one memory, in each execution."""
        pairs = zip(self.values, other.values, strict=False) if other is not None else ()
        return other is not None and all(in_one_memory(*pair) for pair in pairs)

    @property
    def natures_of_parts(self) -> frozenset[str]:
        """Of an index: what its tensors hold, but for those of one element."""
        parts = self.value.items if isinstance(self.value, Items) else (self.value,)
        return frozenset(word_of(p.nature) for p in parts if isinstance(p, Tensor) and p.shape)

    def overlaps(self, other: Operand) -> bool:
        """Of two indices into one tensor: whether they are ranges of one axis, shifted against each other
        by little.
        """
        pairs = list(zip(_parts(self.value), _parts(other.value), strict=False))
        differing = [(a, b) for a, b in pairs if a != b]
        if len(differing) != 1 or len(_parts(self.value)) != len(_parts(other.value)):
            return False
        return {_reach(v) for v in differing[0]} in _SHIFTED

    @property
    def named_tuple(self) -> str:
        """The operator whose named tuple it is, on all paths: "max", "topk"; "" where it is none."""
        kinds = {v.kind if isinstance(v, Items) and v.names else "" for v in self.values}
        return next(iter(kinds)) if len(kinds) == 1 else ""

    @property
    def tuple_of(self) -> int:
        """How many values are in the plain tuple, with tensors in it, that it is on all paths; 0 where it is none."""
        counts = {
            len(v.items) if isinstance(v, Items) and v.kind == "tuple" and _holds_tensor(v) else 0
            for v in self.values
        }
        return next(iter(counts)) if len(counts) == 1 else 0

    @property
    def places(self) -> tuple[Site, ...]:
        """Where the object it points to was made."""
        return tuple(dict.fromkeys(v.to for v in self.values if isinstance(v, Pointer)))

    @property
    def whole_graph(self) -> bool:
        """Whether it certainly has a graph, and all that gradients would reach through it is known."""
        return all(
            isinstance(v, Tensor) and v.requires_grad.holds and v.graph is not None and v.graph.complete
            for v in self.values
        )

    def comes_through(self, refs: set[int]) -> bool:
        """Whether one of these calls of the scope is part of its graph in each execution."""
        key = self.reading.facts.key
        graphs = [v.graph.nodes if isinstance(v, Tensor) and v.graph is not None else () for v in self.values]
        return all(any(n.scope == key and n.ref in refs for n in nodes) for nodes in graphs)

    @property
    def is_parameter(self) -> bool:
        return all(isinstance(v, Tensor) and v.kind == "parameter" for v in self.values)

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors that it is or, as a tuple, holds."""
        value = self.value
        parts = value.items if isinstance(value, Items) else (value,)
        return [t for t in parts if isinstance(t, Tensor)]

    @property
    def tensor(self) -> Tensor | None:
        """What is known of it on all paths, where it is a tensor on all of them."""
        value = self.value
        return value if isinstance(value, Tensor) else None

    @property
    def is_tensor(self) -> bool:
        return all(isinstance(v, Tensor) for v in self.values)

    @property
    def counts(self) -> bool:
        """Whether it is sizes alone: ints, as positional arguments give them."""
        return all(
            isinstance(v, Items) and v.items and all(isinstance(i, Num) for i in v.items) for v in self.values
        )

    @property
    def operators(self) -> frozenset[str]:
        """The operators and methods that it is made of where it stands: "operator.truediv", "div" ..."""
        return frozenset(structure.operators_in(self.reading.facts.scope, self.ref))

    @property
    def literal(self) -> bool:
        """Whether it stands in the source as a literal."""
        return isinstance(definitions(self.reading.facts.scope).get(self.ref or 0), ir.Const)

    @property
    def spelled_out(self) -> bool:
        """Whether it is a list, tuple or dict that the source writes down element by element, perhaps under a
        name.
        """
        scope = self.reading.facts.scope
        made = definitions(scope).get(structure.stored(scope, self.ref) or 0)
        return isinstance(made, ir.Build) and bool(made.items)

    def size_of(self, axis: int) -> object:
        """The length of an axis; None where the rank is not known."""
        tensor = self.tensor
        return None if tensor is None or tensor.shape is None else tensor.shape[axis]

    @property
    def constant(self) -> object:
        """A known python value; `...` where it is not known."""
        match self.value:
            case Const(value):
                return value
            case Num(dim) if dim.number is not None:
                return dim.number
            case Items(items) if all(isinstance(i, Num) and i.dim.number is not None for i in items):
                return tuple(i.dim.number for i in items)  # type: ignore[attr-defined]
        return ...

    def is_a(self, cls: str) -> bool:
        """Whether it is an object of an outside class on all paths."""
        return all(isinstance(v, Pointer) for v in self.values) and all(a.cls == cls for a in self.args)

    @property
    def holds_tensors(self) -> bool:
        """Of a tuple, or what is iterated: whether its elements are tensors."""
        return any(
            isinstance(v, Items) and any(isinstance(i, Tensor) for i in v.items) for v in self.values
        ) or (all(isinstance(v, Many) and isinstance(v.each, Tensor) for v in self.values))

    @property
    def sliced_by_tensor(self) -> bool:
        """Of an index: whether a tensor is the start, stop or step of a slice."""
        parts = [p for p in _parts(self.value) if isinstance(p, Slice)]
        return any(isinstance(end, Tensor) for p in parts for end in (p.start, p.stop, p.step))

    @property
    def is_module(self) -> bool:
        return all(isinstance(v, Pointer) for v in self.values)

    def shares_weights_with(self, other: Operand) -> bool:
        """Whether both have a graph in every execution, and some leaf gets gradients through both."""
        return all(_share_a_leaf(a, b) for a, b in zip(self.values, other.values, strict=False))

    def made_only_by(self, *ops: str) -> Call | None:
        """The one call of this scope that made the value on every path, if it is one of the ops, or of any."""
        calls = {s for v in self.values for s in (v.calls if isinstance(v, Tensor) else (None,))}
        made = [self.reading.call_at(s) if s is not None else None for s in calls]
        if len({m.ref if m else None for m in made}) != 1 or made[0] is None:
            return None
        return made[0] if not ops or made[0].op in ops or made[0].spelling in ops else None

    @property
    def origins(self) -> tuple[Site, ...]:
        """The calls that the value may come from, in any scope."""
        out: dict[Site, None] = {}
        for value in self.values:
            for site in value.calls if isinstance(value, Tensor) else ():
                out.setdefault(site)
        return tuple(out)

    def taken_by(self, *endings: str) -> Site | None:
        """The one place, in any scope, that it comes from, if the call there ends like this: ".detach()"."""
        sites = {self.reading.resolve(s).place: s for s in self.origins}
        site = next(iter(sites.values())) if len(sites) == 1 else None
        return site if site is not None and self.reading.text_at(site).endswith(endings) else None

    def flag(self, message: str, because: tuple[tuple[Site, str], ...] = (), **more: object) -> Flag:
        return self.reading.flag(
            self.ref if self.ref is not None else self.call.ref, message, because, **more
        )


def _holds_tensor(value: Items) -> bool:
    return any(isinstance(v, Tensor) for v in value.items)


def _parts(index: Value) -> tuple[Value, ...]:
    return index.items if isinstance(index, Items) else (index,)


def _reach(part: Value) -> tuple[int | None, int | None] | None:
    """A slice without a step, by its known ends."""
    if not isinstance(part, Slice) or part.step != NONE:
        return None
    ends = [
        e.dim.number if isinstance(e, Num) else ... if e != NONE else None for e in (part.start, part.stop)
    ]
    return None if ... in ends else (ends[0], ends[1])  # type: ignore[return-value]


def _share_a_leaf(one: Value, other: Value) -> bool:
    if (
        not isinstance(one, Tensor)
        or not isinstance(other, Tensor)
        or one.graph is None
        or other.graph is None
    ):
        return False
    both = one.requires_grad.holds and other.requires_grad.holds
    return both and not one.graph.owners.isdisjoint(other.graph.owners)


def joined(values: list[Value]) -> Value:
    out = values[0]
    for value in values[1:]:
        if value is not out and value != out:
            out = join(out, value)
    return out


def sizes(value: object) -> str:
    """A size, or several in brackets, as a user would write them."""
    return f"({', '.join(map(sizes, value))})" if isinstance(value, tuple) else str(value)
