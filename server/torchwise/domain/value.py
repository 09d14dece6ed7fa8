"""What a name may hold: frozen values, and pointers to the objects of an abstract heap.

The top of everything is `ANY`: nothing is known, and nothing is ever reported about it.

Identity. Whatever is created (an object, a tensor, its storage, a node of the autograd graph) is named by
the `Site`
that created it. A site is a place too: the instruction that related information points at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, NamedTuple

from torchwise.domain.dim import Dim
from torchwise.domain.verdict import UNKNOWN, Verdict
from torchwise.record import record

Shape = tuple[Dim, ...]


_new_site = tuple.__new__  # as `Site(...)`, without a function of Python between


class Site(NamedTuple):
    """Instruction `ref` of a scope, in a certain turn of the loops around it; `part` tells apart what one
    call makes.

    Within a summary, what the caller handed over has the scope "^" and is numbered in `ref`. `at` is the
    place in the
    callee, for what a callee made.
    """

    scope: str
    ref: int
    turn: int = 0
    part: str = ""
    at: tuple[str, int] | None = None

    def of(self, part: str) -> Site:
        scope, ref, turn, own, at = self
        return _new_site(Site, (scope, ref, turn, f"{own}.{part}", at))

    @property
    def place(self) -> tuple[str, int]:
        return self.at or (self.scope, self.ref)


LENGTH = "length"  # mark of a list or a dataset: how many it has, where they are not known one by one


@record
class Value:
    """Base of all values."""


@record
class Any(Value):
    """Nothing is known."""


ANY = Any()


@record
class Const(Value):
    """A known float, bool, str, bytes, complex, None or Ellipsis. Ints are `Num`."""

    value: object

    def __eq__(self, other: object) -> bool:  # True == 1.0, but they are not the same constant
        return (
            isinstance(other, Const) and type(other.value) is type(self.value) and other.value == self.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


NONE = Const(None)


@record
class Num(Value):
    """A python int, known or symbolic."""

    dim: Dim


@record
class Some(Value):
    """A python value of a known type ("float", "int", "bool", "str", "ndarray" ...) and unknown content.

    `of` is the tensor that it was read out of (`.item()`, `.tolist()`, `float(t)`), where it was. `dtype`: of
    a number of numpy's, as `a.mean()` is one, its dtype; "?" where it may be of python's, or of any dtype.
    """

    kind: str
    of: Site | None = None
    dtype: str = ""


@record
class Dtype(Value):
    name: str  # "float32", as str(torch.float32) without "torch."


@record
class Device(Value):
    name: str  # "cpu", "cuda", "cuda:1", "meta", "mps"


@record
class Saved:
    """What one node of the autograd graph keeps for backward: a storage as it was at `version`."""

    node: Site  # the call that recorded the node
    op: str
    what: str  # "result", or the parameter's name
    storage: Site
    version: int


@record
class Graph:
    """All that is reachable backwards from a tensor, flattened.

    `owners`: the leaves that would receive gradients: storages of leaf tensors, and layers (for all their
    parameters).
    `nodes`: the calls that recorded a node. `complete`: False where part of the graph is unknown.
    """

    nodes: frozenset[Site] = frozenset()
    saved: frozenset[Saved] = frozenset()
    owners: frozenset[Site] = frozenset()
    complete: bool = True


@record
class Tensor(Value):
    """shape: None where the rank is unknown. strides: in elements, None where unknown.

    dtype: "float32"; device: "cpu"; None where unknown. `requires_grad` counts leaves and results alike.
    `storage` is shared by views. `calls`: the calls that the value may come from, on the paths that meet
    here.
    `graph`: None where it has no graph or nothing is known of it (`requires_grad` tells which).
    `nature`: what the numbers are, a word of `domain.nature`, or None.
    `kind`: "inference" was made under inference_mode, "retaining" is a result that was asked to keep its
    gradient, "state" lies in the memory of one of a module's own, whichever.
    """

    shape: Shape | None = None
    strides: Shape | None = None
    dtype: str | None = None
    device: str | None = None
    requires_grad: Verdict = UNKNOWN
    leaf: Verdict = UNKNOWN
    id: Site | None = None
    storage: Site | None = None
    calls: frozenset[Site] = frozenset()
    graph: Graph | None = None
    nature: str | None = None
    kind: Literal["tensor", "parameter", "buffer", "inference", "retaining", "state"] = "tensor"

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def but(self, **changes: object) -> Tensor:
        """The same tensor with other fields."""
        made = Tensor(
            self.shape,
            self.strides,
            self.dtype,
            self.device,
            self.requires_grad,
            self.leaf,
            self.id,
            self.storage,
            self.calls,
            self.graph,
            self.nature,
            self.kind,
        )
        for name, value in changes.items():
            object.__setattr__(made, name, value)
        return made


@record
class ShapeOf(Value):
    """`x.shape` of a tensor whose rank is not known; unpacking it teaches the rank."""

    tensor: Site


@record
class Items(Value):
    """A tuple (or torch.Size, or a named tuple such as the result of `max`) of known length."""

    items: tuple[Value, ...]
    kind: str = "tuple"  # "tuple", "size", or the named tuple's op: "max"
    names: tuple[str, ...] = ()


@record
class Many(Value):
    """Any number of values that `each` covers: an iterator or a tuple of unknown length. `count`: how many,
    where that has a name.
    """

    each: Value
    kind: str = "iterator"
    count: Dim | None = None


@record
class Slice(Value):
    start: Value
    stop: Value
    step: Value
    crop: Value | None = None  # its length, where that is known and the ends are not


@record
class Named(Value):
    """Something outside the project, by its import path: "torch.nn.Linear", "numpy", "builtins.len"."""

    path: str


@record
class Module(Value):
    """A module of the project, by its path."""

    path: str


@record
class Region:
    """Code that runs under something: ("grad", "off"), ("autocast", "float16"), ("compile", "fullgraph")
    ...
    """

    kind: str
    mode: str
    at: Site | None = field(default=None, compare=False)


@record
class Func(Value):
    """A function of the project. `scope` is its full key; `frame` the object that holds the enclosing
    variables.

    `regions`: what its decorators or wrappers put around every call. `owner`: the class it was looked up in.
    """

    scope: str
    frame: Site | None = None
    bound: Value | None = None
    regions: tuple[Region, ...] = ()
    owner: str | None = None
    static: str = ""  # "staticmethod", "classmethod", "property"
    defaults: tuple[tuple[str, Value], ...] = ()


@record
class Class(Value):
    """A class of the project, by its full key."""

    scope: str


@record
class Method(Value):
    """A method of something that an op table knows: `x.view` of a tensor, `model.train` of a module."""

    path: str  # "Tensor.view"
    owner: Value


@record
class Partial(Value):
    func: Value
    args: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()


@record
class Super(Value):
    cls: str
    owner: Value


@record
class Wrapped(Value):
    """A callable under regions: `torch.compile(model)`, `torch.no_grad()(fn)`."""

    func: Value
    regions: tuple[Region, ...]
    at: Site | None = None

    def __eq__(self, other: object) -> bool:
        """Regions with their places: who knows the value from another scope tells where it comes from."""
        if not isinstance(other, Wrapped):
            return False
        ours, theirs = [[(r, r.at) for r in value.regions] for value in (self, other)]
        return ours == theirs and self.at == other.at and self.func == other.func


@record
class Params(Value):
    """`model.parameters()`: an iterator over the parameters of the object at `of` (resolved when it is
    used).
    """

    of: Site
    at: Site | None = None  # the call that made the iterator
    named: bool = False
    some: bool = False  # a filter left out what is not known
    kept: tuple[Value, ...] | None = None  # what a filter has left, where that is known


@record
class Pointer(Value):
    """An object on the heap."""

    to: Site


@record
class Either(Value):
    """One of a few modules, as a test chose that is not known: `Dropout(p) if p > 0 else Identity()`."""

    options: tuple[Pointer, ...]


@record
class Obj:
    """One object: its class, attributes, elements, and typestate.

    cls: "list", "dict", "torch.nn.Linear", or the full key of a class of the project.
    items: its elements in order (dicts: keys and values in turn), None where they are not all known; then
    `each`
    covers any of them. marks: typestate by name, e.g. {"training": HOLDS}.
    All mappings are treated as frozen: change by `with_...`.
    """

    cls: str
    attrs: Mapping[str, Value] = field(default_factory=dict)
    items: tuple[Value, ...] | None = ()
    each: Value | None = None
    marks: Mapping[str, object] = field(default_factory=dict)
    bases: tuple[str, ...] = ()  # the full method resolution order, most derived first, as paths or keys

    def with_attr(self, name: str, value: Value) -> Obj:
        return Obj(self.cls, {**self.attrs, name: value}, self.items, self.each, self.marks, self.bases)

    def with_mark(self, name: str, value: object) -> Obj:
        return Obj(self.cls, self.attrs, self.items, self.each, {**self.marks, name: value}, self.bases)

    def with_items(self, items: tuple[Value, ...] | None, each: Value | None = None) -> Obj:
        marks = self.marks
        if LENGTH in marks and self.cls == "list":
            marks = {name: mark for name, mark in marks.items() if name != LENGTH}
        return Obj(self.cls, self.attrs, items, each, marks, self.bases)
