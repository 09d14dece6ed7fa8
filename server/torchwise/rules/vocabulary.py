"""The words that rules are written in. A rule imports from here, from `rules.rule` and from `fixes`, and
nowhere else.

A `Reading` is one scope as one kind of call sees it. A `Call` is one call in the source, with all of its
executions: on
every path that reaches it, in every turn of the loops around it. What a Call says of itself (`broken`, an
argument's
`shape`) holds for *every path* in at least one turn; that is what "must" means here.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from torchwise.domain.join import join, show
from torchwise.domain.nature import maker_of, word_of
from torchwise.domain.regrouping import moved_axes
from torchwise.domain.shape import numel
from torchwise.domain.value import NONE, Const, Items, Num, Pointer, Region, Site, Slice, Some, Tensor, Value
from torchwise.facts import facts_for
from torchwise.findings import Severity
from torchwise.fixes.edits import FixPlan
from torchwise.flow.definitions import definitions, nested
from torchwise.flow.facts import Arg, CallFact, Event, Facts
from torchwise.flow.run import operands
from torchwise.ir import nodes as ir
from torchwise.ops import OPS, Broken
from torchwise.ops.spec import NAMES
from torchwise.rules import structure
from torchwise.rules.rule import ERROR, HINT, WARNING, Example
from torchwise.rules.wording import quoted, shape_of, tell

__all__ = [
    "CALLER", "ERROR", "HINT", "WARNING", "Call", "Example", "Flag", "Happening", "Operand", "Reading",
    "breaks_graph", "deprecations", "sizes",
]  # fmt: skip

_KNOWN: set[str] = set()  # names that rules asked for and that the tables have
PROJECT_CALLS = frozenset(("forward",))
EVALUATES = re.compile(
    r"(^|_)(eval|evaluate|evaluation|validate|validation|valid|val|test|accuracy|infer|inference)(_|$)"
)
ON_PURPOSE = re.compile(
    r"(^|_)(mc|monte|dropout|uncertainty|ensemble|adapt|adaptation|attack|adversarial|train|bn)(_|$)"
)
WIDENS = re.compile(
    r"(\.(unsqueeze|view|reshape|expand|expand_as)\([^()]*\)|\[[^\]]*None[^\]]*\]|keepdim=True\))$"
)
CONVERSIONS = frozenset(
    ["long", "int", "to", "float", "round", "view", "reshape", "squeeze", "flatten", "cpu", "detach"]
)
# `pytest.raises`, `self.assertRaises`, `contextlib.suppress`
CALLER = Site("^", 0, 0, "graph")  # the call, in the scope of who calls
EXPECTS = re.compile(r"raises|suppress", re.IGNORECASE)
CATCHES = re.compile(
    r"\b(Exception|BaseException|RuntimeError|ValueError|TypeError|IndexError|AssertionError)\b"
)


@dataclass(frozen=True)
class Flag:
    """What a rule says: where, what, why, and how to mend it. `part`: underline all of it, or its head or
    name only.
    """

    at: Site
    message: str
    because: tuple[tuple[Site, str], ...] = ()
    fix: FixPlan | None = None
    level: Severity | None = None
    part: str = "whole"


@dataclass(frozen=True, eq=False)
class Reading:
    """One scope's facts, in the terms that rules use.

    `text` gives the source of an instruction. `origin` is the site in the caller's words, for what a
    caller handed over.
    """

    facts: Facts
    text_of: Callable[[str, int], str] = field(repr=False, default=lambda scope, ref: "")
    resolve: Callable[[Site], Site] = field(repr=False, default=lambda site: site)

    @property
    def name(self) -> str:
        """Of the function; "" for a module's top level."""
        return "" if self.facts.scope.kind == "module" else self.facts.scope.name

    @property
    def kind(self) -> str:
        return self.facts.scope.kind

    @property
    def mode_is_unknown(self) -> bool:
        """Whether it may run without gradients because of who calls it: a function whose callers are not
        known.
        """
        return not self.facts.called and self.kind == "function" and not self.in_module

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.facts.scope.params)

    @cached_property
    def _by_place(self) -> dict[tuple[int, str], Call]:
        found: dict[tuple[int, str], list[CallFact]] = {}
        for fact in self.facts.calls:
            found.setdefault((fact.at, fact.part), []).append(fact)
        return {place: Call(self, tuple(facts)) for place, facts in found.items()}

    @property
    def evaluates(self) -> bool:
        """Whether the function evaluates: by its name, because it sets eval mode itself, or by picking the
        best class of
        each answer without a graph. Not where its name says that train mode is meant.
        """
        name = self.name.lower()
        if ON_PURPOSE.search(name) is not None or self.kind == "module":
            return False
        return EVALUATES.search(name) is not None or self.sets_eval or self._picks_classes

    @property
    def _picks_classes(self) -> bool:
        return any(c.op == "argmax" and c.under("grad", "off") for c in self.calls())

    def words_in(self, ref: int | None) -> frozenset[str]:
        """The names and attributes that an expression is made of, through local variables that are stored
        once.
        """
        return frozenset(structure.words_in(self.facts.scope, ref))

    @property
    def on_purpose(self) -> bool:
        """Whether its name says that it wants train mode, dropout or attacks."""
        return ON_PURPOSE.search(self.name.lower()) is not None

    @property
    def differentiates(self) -> bool:
        """Whether it runs a backward or an optimizer itself."""
        return any(c.op in ("backward", "grad", "step") for c in self.calls())

    @property
    def sets_eval(self) -> bool:
        return any(c.op == "eval" for c in self.calls())

    @property
    def returns_graph(self) -> bool | None:
        """Whether what it returns has an autograd graph; None where that is not known."""
        found = {_has_graph(v) for v in self.facts.returns}
        return True if True in found else None if None in found else False

    @property
    def in_module(self) -> bool:
        """Whether it is a method of a torch.nn.Module."""
        return self.in_class("torch.nn.Module")

    def in_class(self, base: str) -> bool:
        """Whether it is a method of a class derived from this one."""
        return base in self.facts.order

    @property
    def class_name(self) -> str:
        """Of the class that it is a method of; "" for a function."""
        return self.facts.order[0].rpartition("::")[2].rpartition(".")[2] if self.facts.order else ""

    def mentions(self, *names: str) -> bool:
        """Whether a name or an attribute of these is read anywhere in the scope."""
        return any(
            isinstance(i, ir.Load | ir.Attr) and i.name in names
            for i in definitions(self.facts.scope).values()
        )

    @property
    def returns_nothing(self) -> bool:
        """Whether it ends on every path, and with None."""
        plain = not any(
            isinstance(i, ir.Return | ir.Yield | ir.Leave) for i in definitions(self.facts.scope).values()
        )
        return plain and bool(self.facts.returns) and all(v == NONE for v in self.facts.returns)

    @property
    def last_assignment(self) -> tuple[int, str] | None:
        """Its last statement, where that gives a local name the result of a call, and the name."""
        instrs = [i for i in self.facts.scope.body if not isinstance(i, ir.Const | ir.Return)]
        last, made = instrs[-1] if instrs else None, definitions(self.facts.scope)
        if not isinstance(last, ir.Store) or not isinstance(made.get(last.value), ir.Call):
            return None
        return last.value, last.name

    def used(self, ref: int) -> bool:
        """Whether anything in the scope is done with an instruction's value."""
        return any(ref in operands(i) for i in definitions(self.facts.scope).values())

    def assigned(self, ref: int) -> int | None:
        """The instruction whose value an assignment assigns."""
        instr = definitions(self.facts.scope).get(ref)
        return instr.value if isinstance(instr, ir.SetAttr | ir.Store) else None

    def attribute(self, ref: int | None) -> tuple[int, str] | None:
        """`x.name` as the instruction of `x` and the name."""
        instr = definitions(self.facts.scope).get(ref) if ref is not None else None
        return (instr.base, instr.name) if isinstance(instr, ir.Attr) else None

    def calls(self) -> list[Call]:
        """All calls that the op tables know, in the order they were first met."""
        return list(self._by_place.values())

    @cached_property
    def _by_name(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for call in self._by_place.values():
            for name in {call.op, call.spelling}:
                found.setdefault(name, []).append(call)
        return found

    def calls_to(self, *ops: str) -> list[Call]:
        """Calls of ops by name, whatever their spelling."""
        if not _KNOWN.issuperset(ops):
            unknown = set(ops) - NAMES - PROJECT_CALLS - OPS.keys()
            assert not unknown, f"no operator table knows {unknown}"
            _KNOWN.update(ops)
        named = self._by_name
        if len(ops) == 1:
            return named.get(ops[0], [])
        found = {(c.ref, c.part): c for name in ops for c in named.get(name, ())}
        return [found[place] for place in sorted(found)]

    @cached_property
    def _events(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self.facts.events:
            found.setdefault(event.kind, []).append(event)
        return found

    def happenings(self, *kinds: str, always: bool = False) -> list[Happening]:
        """Events that are met on every path that reaches the place, in some turn, or in all turns that
        reach it.

        One for each place and kind.
        """
        met: dict[tuple[str, int, int], list[Event]] = {}
        by_kind = self._events
        for event in (e for kind in kinds for e in by_kind.get(kind, ())):
            met.setdefault((event.kind, event.at, event.turn), []).append(event)
        out: dict[tuple[str, int], Happening] = {}
        missed: set[tuple[str, int]] = set()
        for (kind, ref, turn), events in met.items():
            total = self.facts.executions.get((ref, turn), 0)
            count = sum(self.facts.counts.get(e, 1) for e in events)
            if count >= total:
                out.setdefault((kind, ref), Happening(self, events[0]))
            else:
                missed.add((kind, ref))
        if always:
            reached = {(ref, turn) for ref, turn in self.facts.executions}
            missed |= {
                (k, r) for k, r in out for ref, turn in reached if ref == r and (k, r, turn) not in met
            }
        return [h for key, h in out.items() if not (always and key in missed)]

    def seen(self, *kinds: str) -> list[Happening]:
        """Events that are met on some path."""
        return [Happening(self, e) for kind in kinds for e in self._events.get(kind, ())]

    @cached_property
    def guarded(self) -> frozenset[int]:
        """Instructions whose exceptions are caught here: what fails in them may fail on purpose."""
        out: set[int] = set()
        for instr in definitions(self.facts.scope).values():
            if (isinstance(instr, ir.Try) and any(self._catches(h) for h in instr.handlers)) or (
                isinstance(instr, ir.With) and EXPECTS.search(self.text(instr.context))
            ):
                out.update(*(_refs(inner) for inner in instr.body))
        return frozenset(out)

    def _catches(self, handler: ir.Handler) -> bool:
        return handler.kinds is None or CATCHES.search(self.text(handler.kinds)) is not None

    def holds(self, site: Site) -> bool:
        """Whether a place is in this scope, and not in one that called it."""
        return site.scope == self.facts.key

    def made(self, value: Value | None, words: str) -> tuple[tuple[Site, str], ...]:
        """Where an object was made, as a related place."""
        return ((value.to, words),) if isinstance(value, Pointer) else ()

    def names_of(self, ref: int) -> list[str]:
        """The names that a value is bound to as it stands: variables and attributes."""
        bound = (i for i in definitions(self.facts.scope).values() if isinstance(i, ir.Store | ir.SetAttr))
        return [i.name for i in bound if i.value == ref]

    def call_made(self, ref: int | None) -> Call | None:
        """The call that an instruction is."""
        return self._by_place.get((ref, "")) if ref is not None else None

    def changes_in(self, loop: int, ref: int | None) -> bool:
        """Whether a name that an expression reads is bound in the loop's body, so that it means another
        thing each turn.
        """
        made = definitions(self.facts.scope)
        instr = made.get(ref) if ref is not None else None
        while isinstance(instr, ir.Attr | ir.Index):
            instr = made.get(instr.base)
        if not isinstance(instr, ir.Load):
            return not isinstance(instr, ir.Load)
        inside = _refs(made[loop])
        return any(
            isinstance(i, ir.Store) and i.name == instr.name and i.out in inside for i in made.values()
        )

    def is_tested(self, ref: int) -> bool:
        """Whether what an instruction gives is only looked at: compared, or the test of a branch."""
        for instr in definitions(self.facts.scope).values():
            match instr:
                case ir.If(test=test) | ir.Assert(test=test) if test == ref:
                    return True
                case ir.Call(callee="operator.is_" | "operator.is_not", args=args) if any(
                    a.ref == ref for a in args
                ):
                    return True
        return False

    def is_creation(self, site: Site) -> bool:
        """Whether a call made a tensor out of nothing: `torch.zeros(...)`. False where the call is not
        known here.
        """
        call = self.call_at(site)
        row = OPS.get(call.spelling) if call is not None else None
        return row is not None and row.grad == "leaf"

    def constant_terms(self, word: str) -> Iterator[Term]:
        """Where a term without a graph, made by a call of a certain nature, is added to something that has
        one.
        """
        for call in self.calls_to("add", "sub", "add_", "sub_"):
            if call.under("grad", "off"):
                continue
            sides = [o for o in (call["input"], call["other"]) if o is not None]
            for term, rest in (sides, sides[::-1]) if len(sides) == 2 else ():
                tensor, kept = self._factor(term), rest.tensor
                if (
                    tensor is None
                    or kept is None
                    or not kept.requires_grad.holds
                    or word_of(tensor.nature) != word
                ):
                    continue
                maker = maker_of(tensor.nature)
                if tensor.shape in ((), None) and kept.shape in ((), None) and maker is not None:
                    yield Term(call.at, maker)

    def _factor(self, term: Operand) -> Tensor | None:
        """A term's tensor; of a product with something unknown, the side that is known."""
        product = self._by_place.get((term.ref or 0, ""))
        if term.tensor is None and product is not None and product.op == "mul":
            sides = [o.tensor for o in product.operands if o.tensor is not None]
            return sides[0] if len(sides) == 1 else None
        return term.tensor

    def always_follows(self, ref: int, first: int) -> bool:
        """Whether whatever runs `first` goes on to run `ref`, as far as tests go: `ref` stands under none
        of its own.
        """
        scope = self.facts.scope
        return structure.tests_around(scope, ref).items() <= structure.tests_around(scope, first).items()

    def loop_names(self, ref: int) -> tuple[str, ...]:
        """The names that the loops around an instruction give their items."""
        return tuple(
            n
            for loop in structure.loops_around(self.facts.scope, ref)
            for n in structure.item_names(self.facts.scope, loop)
        )

    def loop_text(self, loop: int) -> str:
        """What a loop goes over, and the names it gives."""
        instr = definitions(self.facts.scope).get(loop)
        names = structure.item_names(self.facts.scope, instr) if isinstance(instr, ir.Loop) else ()
        over = self.text(instr.over) if isinstance(instr, ir.Loop) else ""
        return " ".join((over, *names))

    def every_nth(self, ref: int) -> list[structure.Nth]:
        """What the innermost loop around an instruction does on every n-th turn only."""
        return structure.every_nth(self.facts.scope, ref)

    def bare_attributes(self) -> Iterator[structure.Attribute]:
        """Attributes that are named as a statement of their own, so that nothing comes of them."""
        return structure.bare_attributes(self.facts.scope)

    def assigned_attributes(self) -> Iterator[structure.Attribute]:
        """`base.name = value`, each as it stands in the source."""
        return structure.assigned_attributes(self.facts.scope)

    def text(self, ref: int | None) -> str:
        return "" if ref is None else self.text_of(self.facts.key, ref)

    def text_at(self, site: Site) -> str:
        scope, ref = self.resolve(site).place
        return self.text_of(scope, ref)

    def site(self, ref: int) -> Site:
        return Site(self.facts.key, ref)

    def here(self, site: Site) -> Site:
        """A site as the instruction of this scope that it belongs to: the call, for what a callee did."""
        return self.site(site.ref) if site.scope == self.facts.key else site

    def call_at(self, site: Site) -> Call | None:
        """The call of this scope that a site stands for."""
        return self._by_place.get((site.ref, site.part)) if site.scope == self.facts.key else None

    def flag(
        self, ref: int, message: str, because: tuple[tuple[Site, str], ...] = (), **more: object
    ) -> Flag:
        """`ref` 0 stands for the scope itself."""
        return Flag(self.site(ref), message, because, **more)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Term:
    """An addition, and the call that made one side of it a constant."""

    at: Site
    maker: Site


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
    def in_loop(self) -> bool:
        return bool(self.event.loops)

    def same_turn(self, site: Site) -> bool:
        """Whether a site is of the same call of this scope and of the same turn of the loops."""
        return site.scope == self.reading.facts.key and site.turn == self.event.turn

    @property
    def value(self) -> Value | None:
        """What the event is about."""
        return self.event.subject

    def is_constant(self, value: object) -> bool:
        """Whether what it is about is this constant."""
        return self.event.subject == Const(value)

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
    def callee(self) -> str:
        """The source of what is called there."""
        instr = definitions(self.reading.facts.scope).get(self.event.at)
        return (
            self.reading.text(instr.callee)
            if isinstance(instr, ir.Call) and isinstance(instr.callee, int)
            else ""
        )

    @property
    def outermost(self) -> Site:
        """The outermost `with` or loop around it in this scope; itself where there is none."""
        return self.reading.site(_outermost(self.reading.facts.scope, self.event.at))

    def flag(self, message: str, because: tuple[tuple[Site, str], ...] = (), **more: object) -> Flag:
        return self.reading.flag(self.event.at, message, because, **more)


@dataclass(frozen=True, eq=False)
class Call:
    """One call in the source. `facts` are its executions."""

    reading: Reading
    facts: tuple[CallFact, ...]

    @property
    def op(self) -> str:
        return self.facts[0].op

    @property
    def part(self) -> str:
        """ "" for the call in the source itself; else what it calls in turn: the layers of a Sequential."""
        return self.facts[0].part

    @property
    def spelling(self) -> str:
        return self.facts[0].spelling

    @property
    def ref(self) -> int:
        return self.facts[0].at

    @property
    def at(self) -> Site:
        return self.reading.site(self.ref)

    @property
    def text(self) -> str:
        return self.reading.text(self.ref)

    @property
    def name(self) -> str:
        """What is called, as the source says it."""
        return self.text.partition("(")[0]

    @property
    def owner(self) -> str:
        """The class of the object that it is called on, on every path; "" where that is not known."""
        owners = {f.args["self"].cls if "self" in f.args else "" for f in self.facts}
        return next(iter(owners)) if len(owners) == 1 else ""

    def tagged(self, tag: str) -> bool:
        """Whether the op's row carries the tag."""
        op = OPS.get(self.spelling)
        return op is not None and tag in op.tags

    @property
    def loops(self) -> tuple[int, ...]:
        return self.facts[0].loops

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions it runs under on every path."""
        shared = self.facts[0].regions
        for fact in self.facts[1:]:
            shared = tuple(r for r in shared if r in fact.regions)
        return shared

    def guarded(self, by: str) -> bool:
        """Whether it stands under a test of the "rank", of "compiling" or of "training" on every path."""
        return self.under("guard", by) is not None

    @property
    def open(self) -> bool:
        """Whether `*args` or `**options` of unknown content may bring arguments that are not seen."""
        instr = definitions(self.reading.facts.scope).get(self.ref)
        return isinstance(instr, ir.Call) and any(a.stars for a in instr.args)

    @property
    def discarded(self) -> bool:
        """Whether nothing is done with its result."""
        return not self.reading.used(self.ref)

    def under(self, kind: str, mode: str | None = None) -> Region | None:
        """The innermost region of a kind that every execution runs under."""
        found = [r for r in self.regions if r.kind == kind]
        if kind == "guard":
            found = [r for r in found if r.mode == mode]
        return found[-1] if found and mode in (None, found[-1].mode) else None

    @property
    def broken(self) -> list[Broken]:
        """Requirements that fail on every path in some turn; none where the code is prepared for an
        exception.
        """
        if self.ref in self.reading.guarded:
            return []
        turns: dict[int, list[CallFact]] = {}
        for fact in self.facts:
            turns.setdefault(fact.turn, []).append(fact)
        for facts in turns.values():
            if all(f.broken for f in facts):
                first = facts[0].broken
                kinds = [{(b.kind, b.param) for b in f.broken} for f in facts]
                both = [b for b in first if all((b.kind, b.param) in k for k in kinds)]
                if both:
                    return both
        return []

    def breaks(self, *kinds: str) -> Iterator[Broken]:
        return (b for b in self.broken if b.kind in kinds)

    def may_break(self, kind: str) -> bool:
        """Whether a requirement fails on some path."""
        return any(b.kind == kind for f in self.facts for b in f.broken)

    @property
    def on_layer(self) -> bool:
        """Whether an object is called that was made before: `self.head(x)`."""
        return self.spelling.endswith(".__call__")

    @property
    def makes_layer(self) -> bool:
        """Whether it makes a layer: `nn.Linear(8, 4)`."""
        return self.spelling.startswith("torch.nn.") and self.spelling.rpartition(".")[2][:1].isupper()

    @property
    def compares_with_classes(self) -> bool:
        """Whether it is a loss of scores against class indices."""
        return self.op in ("cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss")

    @property
    def compares_with_target(self) -> bool:
        """Whether it is a loss as a layer: it has an input and a target."""
        return self.on_layer and "target" in self

    @property
    def takes_named_tuple(self) -> bool:
        """Whether an argument is a named tuple of tensors, such as `x.max(dim=1)` gives."""
        return any(o.named_tuple for o in self.operands)

    @property
    def written(self) -> Operand | None:
        """What it changes in place."""
        row = OPS.get(self.spelling)
        return self[row.inplace] if row is not None and row.inplace is not None else None

    @property
    def is_open(self) -> bool:
        """Whether `*args` or `**options` may hand over more than is seen."""
        instr = definitions(self.reading.facts.scope).get(self.ref)
        return isinstance(instr, ir.Call) and any(a.stars for a in instr.args)

    @property
    def makes_tensor(self) -> bool:
        return isinstance(self.result, Tensor)

    @property
    def result_nature(self) -> str:
        """Of its result, or of the first of its results."""
        result = self.result
        first = result.items[0] if isinstance(result, Items) and result.items else result
        return word_of(first.nature) if isinstance(first, Tensor) else ""

    @property
    def result_sizes(self) -> str:
        result = self.result
        return shape_of(result) if isinstance(result, Tensor) and result.shape is not None else ""

    def makes_tensor_of(self, *dtypes: str) -> bool:
        result = self.result
        return isinstance(result, Tensor) and result.dtype in dtypes

    @property
    def operands(self) -> list[Operand]:
        """Its arguments, in the order of its parameters."""
        found = (self[name] for name in dict.fromkeys(n for f in self.facts for n in f.args))
        return [operand for operand in found if operand is not None]

    def tell(self, broken: Broken) -> str:
        """A sentence for a requirement that it does not meet."""
        return tell(self, broken)

    def refuses(self, broken: Broken, **more: object) -> Flag:
        """A flag on the call for a requirement that it does not meet."""
        because = broken.because
        made = next(iter(because.calls), None) if isinstance(because, Tensor) else None
        related = ((made, "the other one comes from here"),) if made is not None and made != self.at else ()
        return self.flag(self.tell(broken), related, **more)

    def __contains__(self, param: str) -> bool:
        return all(param in f.args for f in self.facts)

    def __getitem__(self, param: str) -> Operand | None:
        args = [f.args[param] for f in self.facts if param in f.args]
        return Operand(self, param, tuple(args)) if args else None

    @property
    def result(self) -> Value:
        return _joined([f.result for f in self.facts])

    def flag(self, message: str, because: tuple[tuple[Site, str], ...] = (), **more: object) -> Flag:
        return self.reading.flag(self.ref, message, because, **more)


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
        return _joined([a.value for a in self.args])

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

    @property
    def widened(self) -> bool:
        """Whether the call that it comes from is there to add an axis, so that broadcasting is meant."""
        return any(WIDENS.search(self.reading.text_at(site)) for site in self.origins)

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

    def same_place(self, other: Operand) -> bool:
        """Of two that share their memory: whether both are all of it, none a part."""
        mine, theirs = self.tensor, other.tensor
        parts = ("getitem", "narrow", "select", "chunk", "split", "unbind", "diagonal", "unfold")
        whole = all(o.made_only_by(*parts) is None for o in (self, other))
        if mine is None or theirs is None or mine.shape is None or mine.shape != theirs.shape:
            return False
        return (
            mine.strides is not None and mine.strides == theirs.strides and whole
        )  # fmt: skip

    @property
    def handed_over(self) -> bool:
        """Whether it is what a caller of a module's forward gave, untouched."""
        untouched = all(isinstance(v, Tensor) and v.id is not None and v.id.scope == "^" for v in self.values)
        return untouched and self.reading.in_module and self.reading.name == "forward"

    @property
    def needs_grad(self) -> bool:
        """Whether gradients certainly flow to it."""
        return all(isinstance(v, Tensor) and v.requires_grad.holds for v in self.values)

    def values_of(self, op: str) -> bool:
        """Whether these are certainly the values, not the indices, that a call of this scope gave, perhaps
        converted since.
        """
        sites = {s for v in self.values for s in (v.calls if isinstance(v, Tensor) else (None,))}
        if len(sites) != 1 or (site := next(iter(sites))) is None:
            return False
        owner = self.reading.call_at(Site(site.scope, site.ref, site.turn, site.part.removesuffix(".0")))
        if owner is None or (owner.op == op and not site.part.endswith(".0")):
            return False
        if owner.op == op:
            return "dim" in owner
        source = owner["self"] or owner["input"]
        return owner.op in CONVERSIONS and source is not None and source.values_of(op)

    def shares_storage(self, other: Operand | None) -> bool:
        """Whether both are certainly views of one memory."""
        mine, theirs = self.tensor, other.tensor if other is not None else None
        return (
            mine is not None
            and theirs is not None
            and mine.storage is not None
            and mine.storage == theirs.storage
        )

    @property
    def natures_of_parts(self) -> frozenset[str]:
        """Of an index: what its tensors hold."""
        parts = self.value.items if isinstance(self.value, Items) else (self.value,)
        return frozenset(word_of(p.nature) for p in parts if isinstance(p, Tensor))

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
    def places(self) -> tuple[Site, ...]:
        """Where the object it points to was made."""
        return tuple(dict.fromkeys(v.to for v in self.values if isinstance(v, Pointer)))

    @property
    def tensor(self) -> Tensor | None:
        """What is known of it on all paths, where it is a tensor on all of them."""
        value = self.value
        return value if isinstance(value, Tensor) else None

    @property
    def operators(self) -> frozenset[str]:
        """The operators and methods that it is made of where it stands: "operator.truediv", "div" ..."""
        return frozenset(structure.operators_in(self.reading.facts.scope, self.ref))

    @property
    def literal(self) -> bool:
        """Whether it stands in the source as a literal."""
        return isinstance(definitions(self.reading.facts.scope).get(self.ref or 0), ir.Const)

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
    def is_module(self) -> bool:
        return all(isinstance(v, Pointer) for v in self.values)

    def shares_weights_with(self, other: Operand) -> bool:
        """Whether both have a graph in every execution, and some leaf gets gradients through both."""
        return all(_share_a_leaf(a, b) for a, b in zip(self.values, other.values, strict=False))

    def made_only_by(self, *ops: str) -> Call | None:
        """The one call of this scope that made the value on every path, if it is one of the ops."""
        calls = {s for v in self.values for s in (v.calls if isinstance(v, Tensor) else (None,))}
        made = [self.reading.call_at(s) if s is not None else None for s in calls]
        if len({m.ref if m else None for m in made}) != 1 or made[0] is None:
            return None
        return made[0] if made[0].op in ops or made[0].spelling in ops else None

    @property
    def origins(self) -> tuple[Site, ...]:
        """The calls that the value may come from, in any scope."""
        out: dict[Site, None] = {}
        for value in self.values:
            for site in value.calls if isinstance(value, Tensor) else ():
                out.setdefault(site)
        return tuple(out)

    def flag(self, message: str, because: tuple[tuple[Site, str], ...] = (), **more: object) -> Flag:
        return self.reading.flag(
            self.ref if self.ref is not None else self.call.ref, message, because, **more
        )


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


_SHIFTED = [{(by, None), (None, -by)} for by in (1, 2)] + [{(by, None), (0, -by)} for by in (1, 2)]


@dataclass(frozen=True)
class Breaking:
    """A compiled region in which something breaks the graph. `whole`: it must be one graph, so that
    breaking fails.
    """

    @property
    def exports(self) -> bool:
        """Whether it is torch.export, which runs Python as it traces."""
        return self.region.kind == "export"

    region: Region
    whole: bool

    @property
    def more(self) -> dict[str, typing.Any]:
        """What a flag about it adds: the compiled entry as related place, and the level."""
        because = ((self.region.at, "compiled here"),) if self.region.at is not None else ()
        return {"because": because, "level": ERROR if self.whole else None}


def sizes(value: object) -> str:
    """A size, or several in brackets, as a user would write them."""
    return f"({', '.join(map(sizes, value))})" if isinstance(value, tuple) else str(value)


def breaks_graph(what: Call | Happening) -> Breaking | None:
    """The compiled region that this is certainly part of; None where it is compiled nowhere, or disabled."""
    found = [r for r in what.regions if r.kind in ("compile", "export")]
    if not found or found[-1].mode == "disabled":
        return None
    if any(r.kind == "guard" and r.mode in ("maybe", "compiling") for r in what.regions):
        return None  # not certain to run while it is traced
    return Breaking(found[-1], found[-1].mode == "fullgraph" or found[-1].kind == "export")


def deprecations(removed: bool = False) -> dict[str, str | None]:
    """What this version of torch deprecates whatever the arguments are, or has removed: name, and what
    takes its place.
    """
    known = facts_for("2.13").deprecations
    return {d.name: d.replacement for d in known if d.when is None and (d.kind == "removed") is removed}


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


def _has_graph(value: Value) -> bool | None:
    match value:
        case Tensor():
            return False if value.requires_grad.fails else True if value.requires_grad.holds else None
        case Items(items):
            found = {_has_graph(v) for v in items}
            return True if True in found else None if None in found else False
        case Const() | Num() | Some():
            return False
    return None


def _outermost(scope: ir.Scope, ref: int) -> int:
    """The instruction of the scope's own body that a ref is nested in, where that is a loop or a `with`."""
    for instr in scope.body:
        if isinstance(instr, ir.Loop | ir.With) and ref in _refs(instr):
            return instr.out
    return ref


def _refs(instr: ir.Instr) -> set[int]:
    out, queue = set(), [instr]
    while queue:
        one = queue.pop()
        out.add(one.out)
        queue += nested(one)
    return out


def _joined(values: list[Value]) -> Value:
    out = values[0]
    for value in values[1:]:
        if value is not out and value != out:
            out = join(out, value)
    return out
