"""A function as one kind of call sees it, and what that call does: the border between caller and callee.

`Border.enter` freezes what a callee can reach from its arguments into a `Variant`, in which every site of
the caller is
"^" and a number. Two calls that differ only in who calls have equal variants, so the callee is run once
for both. What
it did comes back as a `Summary` in the same language, and `Border.leave` puts it in the caller's words again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from torchwise.domain.value import (
    ANY,
    Func,
    Graph,
    Items,
    Obj,
    Pointer,
    Region,
    Saved,
    Site,
    Tensor,
    Value,
)
from torchwise.flow.autograd import STALE, kept_nodes, outdated
from torchwise.flow.lasting import entered
from torchwise.flow.pointed import ATOMS, pointed
from torchwise.flow.rename import Renamer, Sizes
from torchwise.flow.state import Grad, State, Written

MAX_OBJECTS = 600

Captures = Callable[[Func], Mapping[str, Value]]


@dataclass(frozen=True, eq=False)
class Variant:
    """What a callee starts from. `args`: values by parameter. Equal variants have equal summaries."""

    scope: str
    args: tuple[tuple[str, Value], ...] | None  # None: nobody calls it; parameters by their roles
    frame: Site | None = None
    owner: str | None = None  # the class that a method was found in
    heap: Mapping[Site, Obj] = field(default_factory=dict)
    globals: Mapping[str, Value] = field(default_factory=dict)
    grads: Mapping[Site, Grad] = field(default_factory=dict)
    freed: frozenset[Site] = frozenset()
    regions: tuple[Region, ...] = ()
    under: str | None = None  # the file whose module is being run further up
    narrow: bool = False  # called where not every path of the caller comes
    resumed: Mapping[Site, Grad] | None = (
        None  # gradients as the block that a context manager is around left them
    )
    _hash: list[int] = field(default_factory=list, init=False, repr=False)  # once it was asked for

    def __hash__(self) -> int:
        if not self._hash:
            shallow = self.args, self.owner, self.regions, self.under, self.narrow, len(self.grads)
            known = hash((self.scope, shallow, frozenset([_outline(*at) for at in self.heap.items()])))
            self._hash.append(known)  # dear, and asked for often
        return self._hash[0]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Variant) and hash(self) == hash(other) and self._key() == other._key()

    def _key(self) -> tuple[object, ...]:
        return (
            self.scope,
            self.args,
            self.frame,
            self.owner,
            self.regions,
            tuple([region.at for region in self.regions]),
            self.under,
            self.narrow,
            self.freed,
            self.globals,
            self.grads,
            self.heap,
            self.resumed,
        )


def _outline(site: Site, obj: Obj) -> Hashable:
    """What is quickly said of an object: a method is run for many that have it all alike but for this."""
    return site.ref, obj.cls, obj.items and len(obj.items), frozenset(obj.attrs)


@dataclass(frozen=True, eq=True)
class Exit:
    """One way that a call ends: its value, and all that is different from before. `kind`: "return" or
    "raise".
    """

    kind: str
    value: Value
    heap: Mapping[Site, Obj]
    tensors: Mapping[Site, Tensor]
    written: Mapping[Site, Written]
    grads: Mapping[Site, Grad]
    freed: frozenset[Site]
    globals: Mapping[str, Value]
    regions: tuple[Region, ...]
    flowed: frozenset[Site] = frozenset()  # graphs of the caller that a backward went through


def _part_of(outer: Site | None, part: str) -> Site | None:
    """What the callee has put into an attribute of an object that it was handed."""
    if outer is None or not part.startswith("."):
        return None
    return Site(outer.scope, outer.ref, outer.turn, outer.part + part, outer.at)


@dataclass(frozen=True)
class Summary:
    """All that a caller may know of a call. `spent`: a budget ran out, so nothing is known."""

    exits: tuple[Exit, ...] = ()
    known: bool = True
    differentiates: bool = False  # whether it runs a backward of any kind, or what it calls does
    waits: frozenset[str] = frozenset()  # names in tests that went one way only, see `flow.later`


NOTHING_KNOWN = Summary((), known=False)


class TooLarge(Exception):
    """More can be reached from the arguments than a summary is worth."""


@cache
def _numbered(number: int) -> tuple[Site, Site]:
    """What a caller handed over, and all that is in it."""
    site = Site("^", number)
    return site, site.of("*")


class Border:
    """One call across: `enter` on the way in, `leave` on the way out. Keeps which site is which."""

    def __init__(self, state: State, frame: Site, captures: Captures):
        self.state, self.frame, self.captures = state, frame, captures
        self.inside: dict[Site, Site] = {}
        self.sites: list[Site] = []  # by number
        self.queue: list[Site] = []
        self.frames: dict[Site, dict[str, Value]] = {}
        self.graphs: dict[Site, Graph] = {}  # whole graphs of the caller, by their token
        self.tokens: dict[Graph, Site] = {}
        self.reads = Renamer(self._number, self._token)

    def enter(
        self,
        scope: str,
        args: Mapping[str, Value],
        func: Func,
        live: Mapping[str, Value],
        regions: tuple[Region, ...],
        under: str | None,
    ) -> Variant:
        given = tuple([(name, self._in(value)) for name, value in args.items()])
        shared = {name: self._in(value) for name, value in live.items()}
        frame = self._frame(func) if func.frame is not None else None
        heap = self._heap()
        state = self.state
        grads = {}
        for site, grad in state.grads.items():
            if site in self.inside and (grad.kind != "clear" or grad.zeros):
                grads[self.inside[site]] = grad.moved(self._number)
        freed = frozenset(t for t, g in self.graphs.items() if not g.nodes.isdisjoint(state.freed))
        freed |= {t.of(STALE) for t, g in self.graphs.items() if outdated(state, g)}
        if self.graphs:
            self._reveal_saved(given, heap)
            heap = self._with_graphs(heap)
        regions = tuple([r if r.at is None else replace(r, at=self._number(r.at)) for r in regions])
        return Variant(
            scope,
            self._again(given),
            frame,
            func.owner,
            heap,
            shared,
            grads,
            freed,
            regions,
            under,
            state.narrow > 0,
        )

    def resumed(self, state: State) -> dict[Site, Grad]:
        """Gradients of what was handed over, as a block has left them that ran meanwhile."""
        known = [(inner, outer) for outer, inner in self.inside.items() if outer in state.grads]
        return {inner: state.grads[outer].moved(self._number) for inner, outer in known}

    # -- inwards

    def _number(self, site: Site) -> Site:
        known = self.inside.get(site)
        if known is None:
            known, everything = _numbered(len(self.sites))
            self.inside[site] = known
            self.inside[site.of("*")] = everything
            self.sites.append(site)
        return known

    def _in(self, value: Value) -> Value:
        if type(value) in ATOMS:
            return value
        if type(value) is Pointer:
            if value.to not in self.inside:
                self.queue.append(value.to)
            return Pointer(self._number(value.to))
        if type(value) is Tensor:
            return self.reads.value(self.state.current(value))
        for site in pointed(value):
            if site not in self.inside:
                self.queue.append(site)
        for inner in value.items if type(value) is Items else (value,):
            if type(inner) is Func and inner.frame is not None:
                self._frame(inner)
        return self.reads.value(value)

    def _heap(self) -> dict[Site, Obj]:
        out: dict[Site, Obj] = {}
        done: set[Site] = set()
        while self.queue:
            site = self.queue.pop(0)
            obj = self.state.heap.get(site)
            if obj is None or site in done:
                continue
            done.add(site)
            if len(done) > MAX_OBJECTS:
                raise TooLarge
            inner = Obj(
                obj.cls,
                {name: self._in(v) for name, v in obj.attrs.items()},
                None if obj.items is None else tuple([self._in(v) for v in obj.items]),
                obj.each and self._in(obj.each),
                {name: self._in(m) if isinstance(m, Value) else m for name, m in obj.marks.items()},
                obj.bases,
            )
            out[self._number(site)] = inner
        for site, names in self.frames.items():
            out[site] = Obj("frame", dict(names))
        return out

    def _frame(self, func: Func) -> Site:
        assert func.frame is not None
        inner = self._number(func.frame)
        names = self.frames.setdefault(inner, {})
        for name, value in self.captures(func).items():
            if name not in names:
                names[name] = ANY  # ends circles: a function that captures itself
                names[name] = self._in(value)
        return inner

    def _token(self, graph: Graph) -> Graph:
        """The caller's graph as one node. Its leaves are named where the callee can reach them."""
        token = self.tokens.get(graph)
        if token is None:
            token = Site("^", len(self.tokens), part="graph")
            self.tokens[graph] = token
            self.graphs[token] = graph
        return Graph(frozenset((token,)), frozenset(), frozenset(), graph.complete)

    def _reveal_saved(self, given: object, heap: object) -> None:
        """Works out, now that all that can be reached is numbered, what the callee may know of each graph."""
        state, inside = self.state, self.inside
        self.revealed: dict[Site, Graph] = {}
        for token, graph in self.graphs.items():
            owners = frozenset([inside[o] for o in graph.owners if o in inside])
            saved = set()
            for s in graph.saved:
                stale = state.version(s.storage) > s.version
                if stale or s.storage in inside:
                    saved.add(Saved(token, s.op, s.what, inside.get(s.storage, token), -1 if stale else 0))
            self.revealed[token] = Graph(frozenset((token,)), frozenset(saved), owners, graph.complete)

    def _with_graphs(self, heap: dict[Site, Obj]) -> dict[Site, Obj]:
        """Objects, and what they hold with its graph as revealed."""
        shown = self._revealing()
        return {site: shown.obj(obj) for site, obj in heap.items()}

    def _again(self, given: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
        """Arguments with the graphs as revealed."""
        if not self.graphs:
            return given
        shown = self._revealing()
        return tuple([(name, shown.value(value)) for name, value in given])

    def _revealing(self) -> Renamer:
        return Renamer(lambda s: s, lambda g: self.revealed[next(iter(g.nodes))])

    # -- outwards

    def leave(self, exit_: Exit, callee: str, call: Site) -> tuple[State, Value]:
        """The caller's state after this exit, and the value of the call. The state handed in is left as it
        was.
        """
        state = self.state.copy()
        back = {inner: outer for outer, inner in self.inside.items()}

        def move(site: Site) -> Site:
            if site.scope == "^":
                return back.get(site) or _part_of(back.get(site._replace(part="")), site.part) or call
            if site.scope == callee:
                return Site(
                    call.scope,
                    call.ref,
                    call.turn,
                    f"{call.part}/{site.ref}.{site.turn}{site.part}",
                    site.place,
                )
            return site

        renamer = Renamer(move, lambda g: self._expand(g, move), Sizes(callee, call))
        for site, obj in exit_.heap.items():
            outer = move(site)
            if obj.cls == "frame":
                self._write_frame(state, outer, obj, renamer)
            else:
                state.heap[outer] = renamer.obj(obj)
        for site, tensor in exit_.tensors.items():
            state.tensors[move(site)] = renamer.value(tensor)  # type: ignore[assignment]
        for site, written in exit_.written.items():
            outer = move(site)
            state.written[outer] = Written(
                self.state.version(outer) + written.version, written.by and move(written.by)
            )
        for site, grad in exit_.grads.items():
            state.grads[move(site)] = grad.moved(move)
        if exit_.freed:
            state.freed = state.freed | self._nodes(exit_.freed, move)
        for name, value in exit_.globals.items():
            state.globals[name] = renamer.value(value)
        state.regions = self._regions(state.regions, exit_, move)
        return state, renamer.value(exit_.value)

    def _write_frame(self, state: State, outer: Site, obj: Obj, renamer: Renamer) -> None:
        names = {n: renamer.value(v) for n, v in obj.attrs.items()}
        if outer == self.frame:
            state.env.update({n: v for n, v in names.items() if n in state.env})
        else:
            before = state.heap.get(outer)
            state.heap[outer] = Obj("frame", {**before.attrs, **names} if before is not None else names)

    def _regions(
        self, before: tuple[Region, ...], exit_: Exit, move: Callable[[Site], Site]
    ) -> tuple[Region, ...]:
        """Regions that the callee entered for good (`torch.set_grad_enabled(False)` as a statement)."""
        for region in exit_.regions:
            if region.kind != "guard":
                at = move(region.at) if region.at is not None else None
                before = entered(before, replace(region, at=at))
        return before

    def _expand(self, graph: Graph, move: Callable[[Site], Site]) -> Graph:
        nodes: set[Site] = set()
        saved: set[Saved] = set()
        owners = {move(o) for o in graph.owners}
        complete = graph.complete
        for node in graph.nodes:
            whole = self.graphs.get(node)
            if whole is None:
                nodes.add(move(node))
            else:
                nodes |= whole.nodes
                saved |= whole.saved
                owners |= whole.owners
        for s in graph.saved:
            if s.node not in self.graphs:
                outer = move(s.storage)
                saved.add(Saved(move(s.node), s.op, s.what, outer, self.state.version(outer) + s.version))
        return Graph(frozenset(nodes), frozenset(saved), frozenset(owners), complete)

    def _nodes(self, freed: frozenset[Site], move: Callable[[Site], Site]) -> frozenset[Site]:
        out: set[Site] = set()
        for node in freed:
            whole = self.graphs.get(node)
            out |= kept_nodes(whole) if whole else {move(node)}
        return frozenset(out)

    def flowed(self, exit_: Exit) -> list[Graph]:
        return [self.graphs[t] for t in sorted(exit_.flowed, key=lambda s: s.ref) if t in self.graphs]
