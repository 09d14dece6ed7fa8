"""How an operator is written down.

    op("torch.matmul", "Tensor.matmul", "operator.matmul", "torch.mm", "Tensor.mm",
       params="input other", axes="*b n k, *b k m -> *b n m", saves="input other",
       source="generated/torch.matmul.html")

`axes` is jaxtyping notation: a name is one axis, `*name` any number of them. A name used twice must have
one length;
where that is refuted the call breaks the requirement named after the axis. What axes cannot say is a
function of the
arguments: it takes a `Given` and returns an `Outcome` (or just the result's value).

The interpreter does the rest for every op alike: it names the result, gives it a storage (the input's, for
a view),
records the autograd node and what it saves, carries out the effects, and keeps what was broken for the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Effect
from torchwise.domain.value import ANY, Const, Items, Num, Obj, Pointer, Site, Tensor, Value
from torchwise.record import record

DOCS = "https://docs.pytorch.org/docs/stable/"


@record
class Broken:
    """A requirement of an op that cannot be met, whatever the unknown sizes are.

    kind: what the rules select by: "axis" (two lengths clash), "view" (strides), "rank", "dim-range",
    "dtype",
    "device", "argument" ... param: the argument at fault. wanted, got: for the message. axis: which one.
    """

    kind: str
    param: str
    axis: str = ""
    wanted: object = None
    got: object = None
    because: Value | None = None  # a value whose origin explains it
    message: str = ""  # a whole sentence where wanted and got do not say it


@record
class Made:
    """A result that is a new object: the interpreter puts it on the heap."""

    obj: Obj


@record
class Outcome:
    result: Value | Made = ANY
    broken: tuple[Broken, ...] = ()
    effects: tuple[Effect, ...] = ()


@record
class Given:
    """The arguments of one call, by parameter name, with the heap to look objects up in.

    `self` of a method or layer is the argument named "self". `extra` are positional arguments past the
    parameters.
    """

    values: Mapping[str, Value]
    heap: Mapping[Site, Obj]
    extra: tuple[Value, ...] = ()
    # ambient: {"dtype": "float32", "device": "cpu"}
    defaults: Mapping[str, str] = field(default_factory=dict)
    # ambient regions, innermost last: (("autocast", "float16"), ...)
    regions: tuple[tuple[str, str], ...] = ()
    site: Site | None = None  # the call itself

    def fresh(self, hint: str) -> Dim:
        """A size that nothing is known of. Its name starts with "?" and is never shown."""
        at = self.site
        return Dim.of(f"?{hint}" if at is None else f"?{hint}@{at.scope}:{at.ref}.{at.turn}{at.part}")

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def __getitem__(self, name: str) -> Value:
        return self.values.get(name, ANY)

    def get(self, name: str, default: Value = ANY) -> Value:
        return self.values.get(name, default)

    def tensor(self, name: str) -> Tensor | None:
        value = self.values.get(name)
        return value if isinstance(value, Tensor) else None

    def dim(self, name: str, default: int | None = None) -> Dim | None:
        """An int argument as a Dim; None where it is unknown; the default where it was left out."""
        if name not in self.values:
            return None if default is None else Dim.of(default)
        value = self.values[name]
        return value.dim if isinstance(value, Num) else None

    def int(self, name: str, default: int | None = None) -> int | None:
        """A known int; None where it is not known (or is None)."""
        dim = self.dim(name, default)
        return None if dim is None else dim.number

    def const(self, name: str, default: object = None) -> object:
        """A known constant (bool, str, float, None); `...` where something unknown was given."""
        if name not in self.values:
            return default
        match self.values[name]:
            case Const(value):
                return value
            case Num(dim) if dim.number is not None:
                return dim.number
        return ...

    def dims(self, name: str) -> tuple[Dim | None, ...] | None:
        """A tuple or list of ints (one int counts as one), with None for unknown entries; None where
        unknown.
        """
        return self.sizes_of(self.values.get(name, ANY))

    def sizes_of(self, value: Value) -> tuple[Dim | None, ...] | None:
        match value:
            case Num(dim):
                return (dim,)
            case Items(items):
                return tuple(i.dim if isinstance(i, Num) else None for i in items)
            case Pointer(to) if to in self.heap:
                obj = self.heap[to]
                if obj.cls == "list" and obj.items is not None:
                    return tuple(i.dim if isinstance(i, Num) else None for i in obj.items)
        return None

    def list(self, name: str) -> tuple[Value, ...] | None:
        """The elements of a tuple or list argument."""
        match self.values.get(name):
            case Items(items):
                return items
            case Pointer(to) if to in self.heap and self.heap[to].cls == "list":
                return self.heap[to].items
        return None

    def obj(self, name: str = "self") -> Obj | None:
        value = self.values.get(name)
        return self.heap.get(value.to) if isinstance(value, Pointer) else None

    def attr(self, name: str) -> Value:
        """An attribute of the object that is called."""
        obj = self.obj()
        return ANY if obj is None else obj.attrs.get(name, ANY)


Returns = Callable[[Given], Value | Made | Outcome]


@record
class Op:
    """`view`: the parameter whose storage the result shares. `inplace`: the parameter that is written and
    returned.

    `saves`: what autograd keeps: parameter names, "result", and "inside" for what only the call itself has
    seen. `grad`: "record" (result differentiable if an input is),
    "cut" (never), "leaf" (a creation op: honours requires_grad=). `chain`: the object's items are applied
    in turn.
    """

    name: str
    spellings: tuple[str, ...]
    params: tuple[str, ...]
    source: str
    returns: Returns = field(compare=False)
    view: str | None = None
    inplace: str | None = None
    saves: tuple[str, ...] = ()
    grad: str = "record"
    chain: bool = False
    star: str | None = None  # the parameter that takes all further positional arguments: `view(*shape)`
    tags: frozenset[str] = frozenset()
    since: str | None = None
    gone: str | None = None


OPS: dict[str, Op] = {}  # by every spelling
NAMES: set[str] = set()


def op(
    *spellings: str,
    params: str = "",
    source: str,
    axes: str | None = None,
    same_as: str | None = None,
    returns: Returns | None = None,
    view: str | None = None,
    inplace: str | None = None,
    saves: str = "",
    grad: str = "record",
    chain: bool = False,
    tags: str = "",
    since: str | None = None,
    gone: str | None = None,
    name: str | None = None,
) -> Op:
    """Adds one operator under all its spellings. Its name is the last part of the first, unless given.

    A parameter written `*shape` takes all further positional arguments as a tuple.
    """
    names = tuple(p.lstrip("*") for p in params.split())
    star = next((p[1:] for p in params.split() if p.startswith("*")), None)
    made = Op(
        name or spellings[0].rpartition(".")[2],
        spellings,
        names,
        source if source.startswith("http") else DOCS + source,
        returns or _returns(axes, same_as, names),
        view,
        inplace,
        tuple(saves.split()),
        grad,
        chain,
        star,
        frozenset(tags.split()),
        since,
        gone,
    )
    for spelling in spellings:
        assert spelling not in OPS, f"{spelling} is written down twice"
        OPS[spelling] = made
    NAMES.add(made.name)
    return made


def _returns(axes: str | None, same_as: str | None, names: tuple[str, ...]) -> Returns:
    if axes:
        from torchwise.ops.axes import by_axes

        return by_axes(axes, names)
    if same_as:
        return lambda given: plain(given[same_as])
    return lambda given: ANY


def plain(value: Value) -> Value:
    """The same shape, strides, dtype and device, as a new tensor."""
    if not isinstance(value, Tensor):
        return Tensor()
    return Tensor(value.shape, value.strides, value.dtype, value.device)
