"""The same value under other sites and sizes: how a value crosses the border of a call."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from torchwise.domain.dim import Dim
from torchwise.domain.nature import made_at, maker_of, word_of
from torchwise.domain.value import (
    Either,
    Func,
    Graph,
    Items,
    Many,
    Method,
    Num,
    Obj,
    Params,
    Partial,
    Pointer,
    Saved,
    Shape,
    ShapeOf,
    Site,
    Slice,
    Some,
    Super,
    Tensor,
    Value,
    Wrapped,
)

Move = Callable[[Site], Site]


class Sizes:
    """Sizes that a callee made up, as sizes of this one call of it: another call may bring others.

    The symbol `n@callee:4.0` becomes `n@caller:9/callee:4.0`.
    """

    def __init__(self, callee: str, call: Site):
        self.callee = callee
        self.prefix = f"@{call.scope}:{call.ref}{call.part}/{callee}"  # in each turn alike: few variants
        self.known: dict[Dim, Dim] = {}

    def dim(self, size: Dim) -> Dim:
        found = self.known.get(size)
        if found is None:
            made_here = _made_in(self.callee)
            names = {name: made_here.sub(lambda _: self.prefix, name) for name in size.symbols}
            renamed = {old: Dim.of(new) for old, new in names.items() if new != old}
            found = self.known[size] = size.with_names(renamed)
        return found

    def shape(self, shape: Shape | None) -> Shape | None:
        if shape is None or all(d.number is not None for d in shape):
            return shape
        return tuple([d if d.number is not None else self.dim(d) for d in shape])


@lru_cache(maxsize=256)
def _made_in(callee: str) -> re.Pattern[str]:
    return re.compile(f"@{re.escape(callee)}(?![^:.|)])")


class Renamer:
    """Renames values by `move`. `graph` says how a whole autograd graph is renamed, `sizes` how sizes are."""

    def __init__(self, move: Move, graph: Callable[[Graph], Graph], sizes: Sizes | None = None):
        self.move, self.graph, self.sizes = move, graph, sizes

    def value(self, v: Value) -> Value:
        method = _BY_TYPE.get(type(v))
        return v if method is None else method(self, v)

    def values(self, vs: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple([self.value(v) for v in vs])

    def tensor(self, v: Tensor) -> Tensor:
        move, sizes = self.move, self.sizes
        return Tensor(
            v.shape if sizes is None else sizes.shape(v.shape),
            v.strides if sizes is None else sizes.shape(v.strides),
            v.dtype,
            v.device,
            v.requires_grad,
            v.leaf,
            v.id and move(v.id),
            v.storage and move(v.storage),
            self.calls(v.calls) if v.calls else v.calls,
            v.graph and self.graph(v.graph),
            v.nature if v.nature is None or "@^#" not in v.nature else self.nature(v.nature),
            v.kind,
        )

    def nature(self, nature: str) -> str:
        """One that names an object, or a call, of whoever called."""
        site = maker_of(nature)
        return nature if site is None else made_at(word_of(nature), self.move(site))

    def calls(self, sites: frozenset[Site]) -> frozenset[Site]:
        """In an order of their own: moving may number them."""
        if len(sites) == 1:
            (site,) = sites
            return frozenset((self.move(site),))
        return frozenset([self.move(s) for s in sorted(sites, key=_order)])

    def num(self, v: Num) -> Num:
        return v if self.sizes is None or v.dim.number is not None else Num(self.sizes.dim(v.dim))

    def many(self, v: Many) -> Many:
        count = v.count if v.count is None or self.sizes is None else self.sizes.dim(v.count)
        return Many(self.value(v.each), v.kind, count)

    def saved(self, s: Saved) -> Saved:
        return Saved(self.move(s.node), s.op, s.what, self.move(s.storage), s.version)

    def obj(self, o: Obj) -> Obj:
        return Obj(
            o.cls,
            {name: self.value(v) for name, v in o.attrs.items()},
            None if o.items is None else self.values(o.items),
            o.each and self.value(o.each),
            {name: self.value(m) if isinstance(m, Value) else m for name, m in o.marks.items()},
            o.bases,
        )

    def func(self, v: Func) -> Func:
        frame = v.frame and self.move(v.frame)
        bound = v.bound and self.value(v.bound)
        defaults = tuple([(n, self.value(d)) for n, d in v.defaults]) if v.defaults else ()
        if frame is v.frame and bound is v.bound and defaults == v.defaults:
            return v
        return replace(v, frame=frame, bound=bound, defaults=defaults)

    def slice(self, value: Slice) -> Value:
        crop = value.crop and self.value(value.crop)
        return Slice(self.value(value.start), self.value(value.stop), self.value(value.step), crop)

    def params(self, v: Params) -> Params:
        kept = None if v.kept is None else self.values(v.kept)
        return Params(self.move(v.of), v.at and self.move(v.at), v.named, v.some, kept)

    def partial(self, v: Partial) -> Partial:
        return Partial(
            self.value(v.func), self.values(v.args), tuple([(n, self.value(x)) for n, x in v.named])
        )


def _order(site: Site) -> tuple[object, ...]:
    return (site.scope, site.ref, site.turn, site.part)


_BY_TYPE: dict[type, Callable[[Renamer, Value], Value]] = {
    Tensor: Renamer.tensor,  # type: ignore[dict-item]
    Num: Renamer.num,  # type: ignore[dict-item]
    Pointer: lambda r, v: Pointer(r.move(v.to)),  # type: ignore[attr-defined]
    Either: lambda r, v: Either(tuple([Pointer(r.move(p.to)) for p in v.options])),  # type: ignore[attr-defined]
    Items: lambda r, v: Items(r.values(v.items), v.kind, v.names),  # type: ignore[attr-defined]
    Many: Renamer.many,  # type: ignore[dict-item]
    Func: Renamer.func,  # type: ignore[dict-item]
    Some: lambda r, v: Some(v.kind, r.move(v.of), v.dtype) if v.of else v,  # type: ignore[attr-defined]
    ShapeOf: lambda r, v: ShapeOf(r.move(v.tensor)),  # type: ignore[attr-defined]
    Slice: Renamer.slice,  # type: ignore[dict-item]
    Method: lambda r, v: Method(v.path, r.value(v.owner)),  # type: ignore[attr-defined]
    Super: lambda r, v: Super(v.cls, r.value(v.owner)),  # type: ignore[attr-defined]
    Wrapped: lambda r, v: Wrapped(r.value(v.func), v.regions, v.at),  # type: ignore[attr-defined]
    Params: Renamer.params,  # type: ignore[dict-item]
    Partial: Renamer.partial,  # type: ignore[dict-item]
}
