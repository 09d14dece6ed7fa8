"""What is true at one moment of one path through a scope.

A State is mutable while its path runs and is copied where paths part. The values in it are frozen, so a
copy is a few
shallow dict copies. Two states meet in `meet`, which keeps what both agree on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    Any,
    Class,
    Const,
    Device,
    Dtype,
    Either,
    Func,
    Module,
    Named,
    Num,
    Obj,
    Pointer,
    Region,
    Shape,
    Site,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import Verdict
from torchwise.ops.parameters import TAKEN_FROM
from torchwise.record import record

Join = Callable[[Value, Value], Value]
MODULE = "torch.nn.Module"
CHOSEN = frozenset((Either, Pointer))
MOST_OPTIONS = 3
Condition = tuple[object, ...]  # a test, as the names and operators that it is made of


@record
class Grad:
    """Typestate of the gradients of one leaf.

    "clear"; "fresh" after backward; "used" once a step has used them; "mixed" when a backward added to
    used ones;
    "wasted" when cleared before any use; "unknown". `backward` and `step` (for wasted ones, what cleared
    them) are the
    calls that brought it there; `scaled` is the call that scaled the loss, until they are unscaled.
    """

    kind: str
    backward: Site | None = None
    step: Site | None = None
    # the forward that they came through, where it ran in a mode left from evaluation
    evaluating: tuple[Site, ...] = ()
    scaled: Site | None = None
    zeros: bool = False  # cleared by zeros: a step still moves by momentum and weight decay
    more: tuple[Site, ...] = ()  # further backwards that added to fresh ones
    # a backward of these, the step of an optimizer that has used what the same one gave it, that optimizer,
    # and the backward that has added to them since (see `strangers`)
    beside: tuple[Site, ...] = ()
    seen: bool = False  # something has looked at them

    @property
    def none(self) -> bool:
        """Whether there are no gradients."""
        return self.kind in ("clear", "wasted")

    def moved(self, move: Callable[[Site], Site]) -> Grad:
        """The same under other sites."""
        backward, step, scaled = [site and move(site) for site in (self.backward, self.step, self.scaled)]
        several = self.evaluating, self.more, self.beside
        evaluating, more, beside = [tuple([move(s) for s in sites]) if sites else () for sites in several]
        return Grad(self.kind, backward, step, evaluating, scaled, self.zeros, more, beside, self.seen)


CLEAR = Grad("clear")
ZEROS = Grad("clear", zeros=True)
GRAD_UNKNOWN = Grad("unknown")
PERHAPS_OFF = "perhaps off"  # mode of autograd where only some of the paths have switched it off


@record
class Written:
    """How often a storage was changed in place, and by which call last (None where paths differ)."""

    version: int
    by: Site | None


class State:
    """One path. `env`: local names. `regs`: results of instructions. `globals`: live names of the running
    module.
    """

    __slots__ = (
        "assumed",
        "env",
        "freed",
        "globals",
        "grads",
        "heap",
        "narrow",
        "regions",
        "regs",
        "tensors",
        "written",
    )

    def __init__(self) -> None:
        self.env: dict[str, Value] = {}
        self.regs: dict[int, Value] = {}
        self.heap: dict[Site, Obj] = {}
        self.globals: dict[str, Value] = {}
        self.tensors: dict[Site, Tensor] = {}  # tensors that are no longer what they were made as, by id
        self.written: dict[Site, Written] = {}  # by storage
        self.grads: dict[Site, Grad] = {}  # by storage of the leaf
        self.freed: frozenset[Site] = frozenset()  # autograd nodes whose saved tensors are gone
        self.regions: tuple[Region, ...] = ()
        self.assumed: dict[Condition, bool] = {}
        self.narrow = 0  # how many tests that are not known stand between the start and here

    def copy(self) -> State:
        other = State.__new__(State)
        other.env = self.env.copy()
        other.regs = self.regs.copy()
        other.heap = self.heap.copy()
        other.globals = self.globals.copy() if self.globals else {}
        other.tensors = self.tensors.copy()
        other.written = self.written.copy()
        other.grads = self.grads.copy()
        other.freed = self.freed
        other.regions = self.regions
        other.assumed = self.assumed.copy()
        other.narrow = self.narrow
        return other

    def same_as(self, other: State) -> bool:
        """Equal in all that can matter later; the conditions assumed on the way are not compared."""
        return self.env == other.env and self.heap == other.heap and self._world_as(other)

    def _world_as(self, other: State) -> bool:
        return (
            self.grads == other.grads
            and self.tensors == other.tensors
            and self.written == other.written
            and self.freed == other.freed
            and self.regions == other.regions
            and self.globals == other.globals
        )

    def absorb(self, other: State) -> bool:
        """Takes in a path that differs from this one in plain values alone (numbers, names, what is
        unknown).
        """
        if not self._world_as(other) or not _overlay(self.heap, other.heap):
            return False
        mine, theirs = self.env, other.env
        differ = [n for n, v in theirs.items() if mine.get(n) is not v and mine.get(n) != v]
        if len(theirs) < len(mine) + sum(1 for n in differ if n not in mine):
            differ += [n for n in mine if n not in theirs]
        if any(type(mine.get(n, ANY)) not in PLAIN or type(theirs.get(n, ANY)) not in PLAIN for n in differ):
            return False
        for name in differ:
            mine[name] = join(mine[name], theirs[name]) if name in mine and name in theirs else ANY
        if self.heap is not other.heap:
            self.heap = {**other.heap, **self.heap}
        self.assumed = {k: v for k, v in self.assumed.items() if other.assumed.get(k) is v}
        self.narrow = min(self.narrow, other.narrow)
        self.regs = _join_results(self.regs, other.regs, _joining(self, other))
        return True

    def current(self, value: Value) -> Value:
        """The value as it is now: a tensor that was changed under its name, or that something was learnt
        of.
        """
        if type(value) is Tensor and value.id is not None and self.tensors:
            return self.tensors.get(value.id, value)
        return value

    def obj(self, value: Value) -> Obj | None:
        return self.heap.get(value.to) if type(value) is Pointer else None

    def version(self, storage: Site) -> int:
        written = self.written.get(storage)
        return written.version if written else 0

    def write(self, storage: Site, by: Site) -> None:
        self.written[storage] = Written(self.version(storage) + 1, by)

    def learn(self, tensor: Tensor, shape: Shape) -> Tensor:
        now = self.current(tensor)
        assert isinstance(now, Tensor)
        if now.id is None:
            return now
        known = now.but(shape=shape) if now.shape is None else now
        self.tensors[now.id] = known
        return known

    def grad_mode(self) -> Verdict:
        """Whether autograd records here."""
        for region in reversed(self.regions):
            if region.kind == "grad":
                return Verdict.of({"on": True, "off": False, "inference": False}.get(region.mode))
        return Verdict.HOLDS

    @property
    def grad_off_at(self) -> Site | None:
        """What has switched autograd off on some of the paths that come here."""
        modes = [region for region in self.regions if region.kind == "grad"]
        return modes[-1].at if modes and modes[-1].mode == PERHAPS_OFF else None

    def forget(self, name: str) -> None:
        """Drops what was assumed about a name, which now means something else."""
        if self.assumed:
            for condition in [c for c in self.assumed if name in c[0]]:  # type: ignore[operator]
                del self.assumed[condition]


PLAIN = frozenset((Any, Const, Num, Some, Named, Func, Class, Dtype, Device, Module))


def _overlay(a: dict[Site, Obj], b: dict[Site, Obj]) -> bool:
    """Whether two heaps agree on every object that both have."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    return all((o := large.get(s)) is None or o is v or o == v for s, v in small.items())


def meet(a: State, b: State) -> State:
    """What holds on both paths."""
    out = State()
    _join = _joining(a, b)
    out.env = _join_maps(a.env, b.env, _join)
    out.regs = _join_results(a.regs, b.regs, _join)
    out.heap = _meet_heaps(a.heap, b.heap, _join)
    out.globals = _join_maps(a.globals, b.globals, _join)
    for key in a.tensors.keys() | b.tensors.keys():
        x, y = a.tensors.get(key), b.tensors.get(key)
        joined = join(x, y) if x is not None and y is not None else Tensor(id=key)
        out.tensors[key] = joined.but(id=key) if isinstance(joined, Tensor) else Tensor(id=key)
    for key in a.written.keys() | b.written.keys():
        v, w = a.written.get(key), b.written.get(key)
        out.written[key] = (
            v
            if v is not None and v == w
            else Written(max(v.version if v else 0, w.version if w else 0), None)
        )
    for key in a.grads.keys() | b.grads.keys():
        out.grads[key] = meet_grads(a.grads.get(key, CLEAR), b.grads.get(key, CLEAR))
    out.freed = a.freed & b.freed
    out.regions = a.regions if a.regions == b.regions else _common(a.regions, b.regions)
    out.assumed = {k: v for k, v in a.assumed.items() if b.assumed.get(k) is v}
    out.narrow = min(a.narrow, b.narrow)
    return out


def meet_grads(a: Grad, b: Grad) -> Grad:
    if a is b:
        return a
    if a.kind != b.kind:
        return GRAD_UNKNOWN
    evaluating = a.evaluating if a.evaluating == b.evaluating else ()
    return Grad(
        a.kind,
        a.backward or b.backward,
        a.step or b.step,
        evaluating,
        a.scaled if a.scaled == b.scaled else None,
        a.zeros or b.zeros,
        a.more if a.more == b.more else (),
        a.beside if a.beside == b.beside else (),
        a.seen or b.seen,
    )


def _common(a: tuple[Region, ...], b: tuple[Region, ...]) -> tuple[Region, ...]:
    shared = [x for x, y in zip(a, b, strict=False) if x == y]
    modes = [[r for r in side if r.kind == "grad"] for side in (a, b)]
    if modes[0] == modes[1]:
        return (*shared, *[r for r in modes[0] if r not in shared])
    last = [side[-1] for side in modes if side]
    off = next((r for r in last if r.mode in ("off", PERHAPS_OFF)), None)
    known = off is not None and all(r.mode in ("on", "off", PERHAPS_OFF) for r in last)
    return (*shared, Region("grad", PERHAPS_OFF, off.at) if known and off else Region("grad", "unknown"))


def meet_values(a: State, b: State, value: Value, other: Value) -> Value:
    """What a value is that is one thing on one path, and another on the other."""
    return _joining(a, b)(value, other)


def _joining(a: State, b: State) -> Join:
    """`join`, but that modules of two paths are both remembered."""

    def joined(value: Value, other: Value) -> Value:
        if value is other:
            return value
        if type(value) in CHOSEN and type(other) in CHOSEN and value != other:
            options = _options(value, a) | _options(other, b)
            if len(options) <= MOST_OPTIONS and all(options.values()):
                return Either(tuple(options))
        return join(value, other)

    return joined


def _options(value: Value, state: State) -> dict[Pointer, bool]:
    """The objects that a value may be, and whether each is a module."""
    pointers = value.options if isinstance(value, Either) else (value,)
    found = {p: state.heap.get(p.to) for p in pointers if isinstance(p, Pointer)}
    return {p: o is not None and MODULE in (o.cls, *o.bases) for p, o in found.items()}


def _join_maps(a: dict[str, Value], b: dict[str, Value], _join: Join) -> dict[str, Value]:
    """A name bound on one path only may be unbound: nothing is known of it."""
    if a == b:
        return dict(a)
    return {name: _join(a[name], b[name]) if name in a and name in b else ANY for name in {**a, **b}}


def _join_results(a: dict[int, Value], b: dict[int, Value], _join: Join) -> dict[int, Value]:
    """Of instructions that ran on both paths."""
    return {r: v if (w := b[r]) is v else _join(v, w) for r, v in a.items() if r in b}


def _meet_heaps(a: dict[Site, Obj], b: dict[Site, Obj], _join: Join) -> dict[Site, Obj]:
    out = {}
    for site in {**a, **b}:
        x, y = a.get(site), b.get(site)
        if x is None or y is None or x is y:
            out[site] = x or y
        else:
            out[site] = join_objects(x, y, _join)
    return out  # type: ignore[return-value]


def of_content(a: Obj, b: Obj) -> dict[str, object]:
    """The marks that speak of what is in a container, where another path left it empty."""
    some, none = (b, a) if a.items == () else (a, b)
    if none.items != () or some.items == ():
        return {}
    return {n: some.marks[n] for n in ("state_of", TAKEN_FROM) if n in some.marks and n not in none.marks}


def join_objects(a: Obj, b: Obj, _join: Join = join) -> Obj:
    """One object as two paths left it. Its class cannot have changed."""
    if a == b:
        return a
    attrs = _join_attrs(a.attrs, b.attrs, _join)
    marks = {n: _join_marks(a.marks.get(n), b.marks.get(n)) for n in {**a.marks, **b.marks}}
    marks.update(of_content(a, b))
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        items: tuple[Value, ...] | None = tuple(_join(x, y) for x, y in zip(a.items, b.items, strict=True))
        each = None
    else:
        items, each = None, _each(a, b)
    return Obj(a.cls, attrs, items, each, marks, a.bases)


def _join_attrs(a: Mapping[str, Value], b: Mapping[str, Value], _join: Join) -> Mapping[str, Value]:
    """What only one of them has may be missing."""
    if a is b:
        return a
    out = {n: v if (w := b.get(n, ANY)) is v else _join(v, w) for n, v in a.items()}
    out.update({n: _join(ANY, w) for n, w in b.items() if n not in a})
    return out


def _each(a: Obj, b: Obj) -> Value:
    seen = [*(a.items or ()), *(b.items or ()), *(o.each for o in (a, b) if o.items is None)]
    out: Value | None = None
    for value in seen:
        value = ANY if value is None else value
        out = value if out is None else join(out, value)
        if isinstance(out, Any):
            break
    return ANY if out is None else out


def _join_marks(a: object, b: object) -> object:
    return a if a == b else Verdict.UNKNOWN
