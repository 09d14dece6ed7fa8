"""What interpretation learned about one scope. Inert: rules, hover and hints all read this.

Every fact is of one *execution*: an instruction on one path, in one turn of the loops around it. What a
rule may say
for certain is what holds for all executions of an instruction in some turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torchwise.domain.value import Region, Site, Value
from torchwise.flow.variant import Variant
from torchwise.ir.nodes import Ref, Scope
from torchwise.ops import Broken
from torchwise.record import record


@record
class Arg:
    """`ref` is None for a default or something without an expression of its own (the elements of `*args`)."""

    ref: Ref | None
    value: Value
    cls: str = ""  # of the object that it points to


@record
class CallFact:
    """One execution of a call. `op`: the op's name. `callee`: the class of the object that it was called
    on.
    """

    at: Ref
    op: str
    spelling: str
    args: Mapping[str, Arg]
    result: Value
    turn: int
    loops: tuple[Ref, ...]
    regions: tuple[Region, ...]
    broken: tuple[Broken, ...] = ()
    callee: str = ""
    part: str = ""  # tells apart the calls that one instruction makes: the layers of a Sequential


@record
class Event:
    """Something that happened to the state of the world, at an instruction.

    kind: "stale-step", "saved-changed", "leaf-written", "freed-graph", "no-graph", "branch-on-tensor" ...
    because: the sites that explain it, in the order of the story.
    """

    kind: str
    at: Ref
    turn: int
    because: tuple[Site, ...] = ()
    subject: Value | None = None
    detail: str = ""
    regions: tuple[Region, ...] = ()
    loops: tuple[Ref, ...] = ()


@record
class Entered:
    """A call of a function of the project: which variant of it, and what its "^" sites are here.

    `visits` tells the executions of the instruction apart: one on each path, which may make several calls.
    """

    at: Ref
    turn: int
    variant: Variant
    sites: tuple[Site, ...]
    visits: tuple[int, ...]


@dataclass(frozen=True)
class Facts:
    """`executions` counts, for each instruction and turn, the paths that reached it."""

    scope: Scope
    key: str  # of the scope, with its file
    calls: tuple[CallFact, ...] = ()
    events: tuple[Event, ...] = ()
    values: Mapping[Ref, Value] = field(default_factory=dict)
    entered: tuple[Entered, ...] = ()
    executions: Mapping[tuple[Ref, int], int] = field(default_factory=dict)
    counts: Mapping[Event, int] = field(default_factory=dict)  # how many executions met each event
    unanswered: frozenset[tuple[Ref, int]] = frozenset()  # where some path calls what is not known, by turn
    returns: tuple[Value, ...] = ()  # one for each path that returns
    order: tuple[str, ...] = ()  # a method's class and its bases: keys and outside paths
    # False where nobody calls it, as far as the project goes: by whom, and in what mode, is not known
    called: bool = True
    spent: bool = False  # a budget ran out: what is here is true, but not all
