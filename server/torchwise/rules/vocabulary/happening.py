"""One event, with the words to speak of it."""

from __future__ import annotations

import typing
from dataclasses import dataclass

from torchwise.domain.nature import maker_of, word_of
from torchwise.domain.shape import numel
from torchwise.domain.value import Const, Num, Region, Site, Some, Tensor, Value
from torchwise.flow.definitions import definitions, nested
from torchwise.flow.facts import Event
from torchwise.ir import nodes as ir
from torchwise.rules import structure
from torchwise.rules.vocabulary.flag import Flag

if typing.TYPE_CHECKING:
    from torchwise.rules.vocabulary.reading import Reading


@dataclass(frozen=True, eq=False)
class Happening:
    """An event, with the words to speak of it."""

    reading: Reading
    event: Event

    @property
    def at(self) -> Site:
        return self.reading.site(self.event.at)

    @property
    def ref(self) -> int:
        return self.event.at

    @property
    def text(self) -> str:
        return self.reading.text(self.event.at)

    @property
    def kind(self) -> str:
        return self.event.kind

    @property
    def detail(self) -> str:
        return self.event.detail

    @property
    def because(self) -> tuple[Site, ...]:
        return self.event.because

    @property
    def tensor(self) -> Tensor | None:
        """What it happened to."""
        return self.event.subject if isinstance(self.event.subject, Tensor) else None

    @property
    def made_by_nature(self) -> Site | None:
        """The call that made the numbers of its tensor what they are."""
        return maker_of(self.tensor.nature) if self.tensor is not None else None

    @property
    def elements(self) -> str:
        """How many elements its tensor has, where that is certainly not one; "" where it may be one."""
        shape = self.tensor.shape if self.tensor is not None else None
        count = numel(shape) if shape else None
        return (
            ""
            if count is None or count.number in (0, 1) or (count.number is None and count.hidden)
            else str(count)
        )

    @property
    def nature(self) -> str:
        """What the numbers of its tensor are: a word of `domain.nature`."""
        return word_of(self.tensor.nature) if self.tensor is not None else ""

    @property
    def asked_at(self) -> Site | None:
        """The call that told its tensor to require grad, after it had been computed."""
        return (
            maker_of(self.tensor.nature)
            if self.tensor is not None and word_of(self.tensor.nature) == "asked"
            else None
        )

    @property
    def regions(self) -> tuple[Region, ...]:
        return self.event.regions

    @property
    def loops(self) -> tuple[int, ...]:
        """The loops around it, the outermost first."""
        return self.event.loops

    @property
    def in_loop(self) -> bool:
        return bool(self.event.loops)

    def same_turn(self, site: Site) -> bool:
        """Whether a site is of the same call of this scope and of the same turn of the loops."""
        return site.scope == self.reading.facts.key and site.turn == self.event.turn

    def next_turn(self, site: Site) -> bool:
        """Whether it happened in the turn after that of a site: an error in between has ended no path."""
        return self.event.turn == site.turn + 1

    def comes_round_from(self, site: Site) -> bool:
        """Whether a site stands behind it in a loop around both: it comes before this in the next turn."""
        around = structure.loops_around(self.reading.facts.scope, self.event.at)
        behind = self.reading.holds(site) and site.ref > self.event.at
        return behind and any(site.ref in structure.inside(loop) for loop in around)

    def same_loop(self, site: Site) -> bool:
        """Whether a site is of an instruction of the innermost loop around it here."""
        around = structure.loops_around(self.reading.facts.scope, self.event.at)
        return self.reading.holds(site) and bool(around) and site.ref in structure.inside(around[-1])

    @property
    def value(self) -> Value | None:
        """What the event is about."""
        return self.event.subject

    @property
    def of_number(self) -> bool:
        """Whether what it is about is an int or a float of Python."""
        value = self.event.subject
        plain = isinstance(value, Const) and type(value.value) is float
        return plain or isinstance(value, Num) or (isinstance(value, Some) and value.kind in ("int", "float"))

    @property
    def constant(self) -> object:
        """What it is about, as a Python value; None where that is not known."""
        return self.event.subject.value if isinstance(self.event.subject, Const) else None

    def is_constant(self, value: object) -> bool:
        """Whether what it is about is this constant."""
        return self.event.subject == Const(value)

    @property
    def keeps_option(self) -> bool:
        """Whether a method sets an attribute of its own object to what does not stand there as a literal."""
        made, params = definitions(self.reading.facts.scope), self.reading.facts.scope.params
        setting = made.get(self.ref)
        if not isinstance(setting, ir.SetAttr) or not params or isinstance(made.get(setting.value), ir.Const):
            return False
        base = made.get(setting.base)
        return isinstance(base, ir.Load) and base.name == params[0].name

    @property
    def keeps_too(self) -> bool:
        """Of what is given back: whether the same expression, cut off from its graph, is stored somewhere that
        outlives the scope, or it is what `setdefault` gives.
        """
        return structure.kept_too(self.reading.facts.scope, self.event.at, self.reading.text)

    @property
    def may_be_left_out(self) -> bool:
        """Whether it is what `.get(key)` gives."""
        return structure.may_be_left_out(self.reading.facts.scope, self.event.at)

    @property
    def outlives(self) -> bool:
        """Whether it is an attribute, or a name of an outer scope."""
        return structure.outlives(self.reading.facts.scope, self.event.at)

    def guarded(self, by: str) -> bool:
        """Whether it stands under a test of the "rank", of "compiling" or of "training"."""
        return any(r.kind == "guard" and r.mode == by for r in self.event.regions)

    @property
    def recording(self) -> bool:
        """Whether autograd records there."""
        modes = [r.mode for r in self.event.regions if r.kind == "grad"]
        return not modes or modes[-1] == "on"

    @property
    def grad_off(self) -> Region | None:
        """The region that keeps autograd from recording there."""
        found = [r for r in self.event.regions if r.kind == "grad"]
        return found[-1] if found and found[-1].mode in ("off", "inference") else None

    @property
    def sometimes(self) -> bool:
        """Whether it stands under a test within the innermost loop around it, and so not in every turn."""
        scope = self.reading.facts.scope
        around = structure.loops_around(scope, self.event.at)
        tests = structure.tests_around(scope, self.event.at)
        return bool(around) and not structure.inside(around[-1]).isdisjoint(tests)

    @property
    def callee(self) -> str:
        """The source of what is called there."""
        instr = definitions(self.reading.facts.scope).get(self.event.at)
        return (
            self.reading.text(instr.callee)
            if isinstance(instr, ir.Call) and isinstance(instr.callee, int)
            else ""
        )

    @property
    def tries_out(self) -> bool:
        """Whether what is called there gets nothing but tensors made out of nothing: zeros, random numbers."""
        instr = definitions(self.reading.facts.scope).get(self.event.at)
        given = [a.ref for a in instr.args] if isinstance(instr, ir.Call) else []
        return bool(given) and all(self._out_of_nothing(ref) for ref in given)

    def _out_of_nothing(self, ref: int, depth: int = 0) -> bool:
        call = self.reading.call_of(ref)
        if call is None or depth > 4:
            return False
        inner = [o.ref for o in call.operands if o.tensor is not None and o.ref is not None]
        return self.reading.is_creation(call.at) or (
            bool(inner) and all(self._out_of_nothing(i, depth + 1) for i in inner)
        )

    @property
    def outermost(self) -> Site:
        """The outermost `with` or loop around it in this scope; itself where there is none."""
        return self.reading.site(_outermost(self.reading.facts.scope, self.event.at))

    def flag(self, message: str, because: tuple[tuple[Site, str], ...] = (), **more: object) -> Flag:
        return self.reading.flag(self.event.at, message, because, **more)


@dataclass(frozen=True)
class Term:
    """An addition, and the call that made one side of it a constant; `scalar`: that is certainly one number."""

    at: Site
    maker: Site
    scalar: bool


def _outermost(scope: ir.Scope, ref: int) -> int:
    """The instruction of the scope's own body that a ref is nested in, where that is a loop or a `with`."""
    for instr in scope.body:
        if isinstance(instr, ir.Loop | ir.With) and ref in refs_within(instr):
            return instr.out
    return ref


def refs_within(instr: ir.Instr) -> set[int]:
    out, queue = set(), [instr]
    while queue:
        one = queue.pop()
        out.add(one.out)
        queue += nested(one)
    return out


def made_by(tensor: object) -> Site | None:
    """The call that a tensor's nature names."""
    return maker_of(tensor.nature) if isinstance(tensor, Tensor) else None
