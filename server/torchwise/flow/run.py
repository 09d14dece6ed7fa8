"""Runs a scope on sets of values instead of values: one function per IR instruction, paths side by side.

`interpret` is the way in. A Run walks the blocks with a list of live paths (`State`s); an instruction
changes a path
in place, or hands back the paths that it became. What happened goes into the Run's collectors, and out as
Facts.
"""

from __future__ import annotations

import typing
from collections import defaultdict
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torchwise.domain.join import join
from torchwise.domain.value import ANY, NONE, Region, Site, Tensor, Value
from torchwise.flow.definitions import definitions
from torchwise.flow.facts import CallFact, Entered, Event, Facts
from torchwise.flow.hooks import note_given_back
from torchwise.flow.lookup import Lookup
from torchwise.flow.state import State, meet
from torchwise.flow.turns import MAX_UNROLLED
from torchwise.flow.variant import Variant
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_PATHS = 8
STEPS_PER_INSTRUCTION = 16  # past a third of them paths meet at once, so that the rest is enough for most

Handler = Callable[["Run", typing.Any, State], "list[State] | None"]  # of one kind of instruction
HANDLERS: dict[type, Handler] = {}


def handles(kind: type) -> Callable[[Handler], Handler]:
    """Registers the function that runs one kind of instruction."""

    def register(function: Handler) -> Handler:
        HANDLERS[kind] = function
        return function

    return register


class Spent(Exception):
    """The scope's budget of steps ran out."""


class Run:
    """One interpretation of one scope: a stateful walk, which is why it is a class."""

    def __init__(self, scope: ir.Scope, key: str, lookup: Lookup, variant: Variant):
        self.scope, self.key, self.lookup, self.variant = scope, key, lookup, variant
        self.frame = Site(key, 0)
        self.defs = definitions(scope)
        self.outer = dict(scope.outer)
        self.known: dict[str, Value] = {}  # global names that were asked for
        self.turn = 0
        self.loops: tuple[int, ...] = ()
        self.steps = 0
        self.budget = 500 + STEPS_PER_INSTRUCTION * len(self.defs)
        self.tight = self.budget // 3
        self.calls: list[CallFact] = []
        self.events: dict[Event, int] = {}
        self.values: dict[int, Value] = {}
        self.parted: set[int] = set()  # calls that end with yes on some paths, and with no on others
        self.unanswered: set[tuple[int, int]] = set()  # calls of what some path does not know, and turns
        self.visit = 0  # one more for each instruction on each path
        self.entered: dict[tuple[int, int, Variant], Entered] = {}
        self.asked: defaultdict[str, list[Variant]] = defaultdict(list)  # variants by callee, to bound them
        self.executions: defaultdict[tuple[int, int], int] = defaultdict(int)
        self.finished: list[tuple[str, Value, State]] = []  # returned paths: kind, value, state
        self.returned: dict[int, Value] = {}  # by the return statement
        self.yielded: list[tuple[Value, State]] = []
        self.leaving: list[dict[str, list[State]]] = []  # innermost loop last: its breaks and continues
        self.raised: list[list[State]] = []  # innermost try last: paths that raised in its body
        self.flowed: set[Site] = set()
        self.asks: dict[int, tuple[Region, ...]] = {}  # what a test asks about, see branches.guarded
        self.unroll = MAX_UNROLLED  # loops of at most so many turns are run turn by turn
        self.unrolled = False  # whether one was that has more than a few
        self.sides: set[tuple[int, bool]] = set()  # of branches: those that some path took
        self.waits: set[str] = set()  # names in tests of called functions that went one way only
        self.inside_chain = 0  # how many containers are applying their layers: those count as one call
        self.hook_views: dict[Site, Site] = {}  # see hook_views
        self.eval_forwards: dict[tuple[int, int], tuple[Site, Site]] = {}  # see modes

    def block(self, body: ir.Block, states: list[State]) -> list[State]:
        for instr in body:
            handler = HANDLERS[type(instr)]
            self.steps += len(states)
            if self.steps > self.tight:
                if self.steps > self.budget:
                    raise Spent
                if len(states) > 1:
                    states = one_of(states)
            if len(states) == 1:
                self.visit += 1
                alone = handler(self, instr, states[0])
                if alone is not None:
                    states = alone if len(alone) <= MAX_PATHS else fewer(alone)
                    if not states:
                        break
                continue
            after: list[State] = []
            for state in states:
                self.visit += 1
                became = handler(self, instr, state)
                if became is None:
                    after.append(state)
                else:
                    after += became
            states = after if len(after) <= MAX_PATHS else fewer(after)
            if not states:
                break
        return states

    def site(self, ref: int, part: str = "") -> Site:
        return Site(self.key, ref, self.turn, part)

    def note(self, ref: int, value: Value) -> None:
        """Keeps a value for hints and hover: what the instruction gave in any execution."""
        known = self.values.get(ref)
        if known is None:
            self.values[ref] = value
        elif known is not value:
            self.values[ref] = join(known, value) if type(known) is type(value) is Tensor else ANY

    def event(
        self,
        kind: str,
        ref: int,
        state: State,
        because: tuple[Site, ...] = (),
        subject: Value | None = None,
        detail: str = "",
    ) -> None:
        event = Event(kind, ref, self.turn, because, subject, detail, state.regions, self.loops)
        self.events[event] = self.events.get(event, 0) + 1

    @contextmanager
    def inside_loop(self, ref: int) -> Iterator[None]:
        outer_turn, outer_loops = self.turn, self.loops
        self.loops = (*outer_loops, ref)
        try:
            yield
        finally:
            self.turn, self.loops = outer_turn, outer_loops

    def _order(self) -> tuple[str, ...]:
        owner = self.lookup.class_facts(self.variant.owner) if self.variant.owner is not None else None
        return owner.order if owner is not None else ()

    def facts(self, spent: bool) -> Facts:
        return Facts(
            self.scope,
            self.key,
            tuple(self.calls),
            tuple(self.events),
            self.values,
            tuple(self.entered.values()),
            dict(self.executions),
            dict(self.events),
            frozenset(self.unanswered),
            tuple([s.current(v) for kind, v, s in self.finished if kind == "return"]),
            self._order(),
            self.variant.args is not None,
            spent,
        )


def fewer(states: list[State]) -> list[State]:
    """Neighbours meet, since they parted last, until few enough are left."""
    states = list(states)
    while len(states) > MAX_PATHS // 2:
        states = [
            meet(*pair) if len(pair := states[i : i + 2]) == 2 else pair[0] for i in range(0, len(states), 2)
        ]
    return states


def one_of(states: list[State]) -> list[State]:
    out = states[0]
    for other in states[1:]:
        out = meet(out, other)
    return [out]


def distinct(states: list[State]) -> list[State]:
    """Paths that differ in nothing that matters go on as one; what only one of them assumed is forgotten."""
    kept: list[State] = []
    for state in states:
        if any(other.absorb(state) for other in kept):
            continue
        kept.append(state)
    return kept


# -- the plain instructions


@handles(ir.Const)
def _const(run: Run, it: ir.Const, state: State) -> None:
    state.regs[it.out] = constant(it.value)


def constant(value: object) -> Value:
    from torchwise.domain.dim import Dim
    from torchwise.domain.value import Const, Num

    if type(value) is int:
        return Num(Dim.of(value))
    return Const(value)


@handles(ir.Drop)
def _drop(run: Run, it: ir.Drop, state: State) -> None:
    state.env.pop(it.name, None)
    state.forget(it.name)


@handles(ir.Return)
def _return(run: Run, it: ir.Return, state: State) -> list[State]:
    value = NONE if it.value is None else state.regs.get(it.value, ANY)
    if state.regions:
        note_given_back(run, state, it, value)
    known = run.returned.get(it.out)
    run.returned[it.out] = value if known is None or known is value else join(known, value)
    run.finished.append(("return", value, state))
    return []


@handles(ir.Leave)
def _leave(run: Run, it: ir.Leave, state: State) -> list[State]:
    if it.kind == "raise":
        if run.raised:
            run.raised[-1].append(state)
        else:
            run.finished.append(("raise", ANY, state))
    elif run.leaving:
        run.leaving[-1][it.kind].append(state)
    return []


@handles(ir.Opaque)
def _opaque(run: Run, it: ir.Opaque, state: State) -> None:
    state.regs[it.out] = ANY
    for name in it.stores:
        state.env[name] = ANY
        state.forget(name)
