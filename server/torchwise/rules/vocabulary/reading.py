"""One scope as one kind of call sees it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from torchwise.domain.nature import maker_of, word_of
from torchwise.domain.value import NONE, Const, Items, Num, Pointer, Site, Some, Tensor, Value
from torchwise.flow.definitions import definitions
from torchwise.flow.facts import CallFact, Event, Facts
from torchwise.ir import nodes as ir
from torchwise.ops import OPS
from torchwise.ops.spec import NAMES
from torchwise.rules import structure
from torchwise.rules.vocabulary.call import Call
from torchwise.rules.vocabulary.flag import Flag
from torchwise.rules.vocabulary.happening import Happening, Term, refs_within
from torchwise.rules.vocabulary.mending import Mending
from torchwise.rules.vocabulary.operand import Operand

PROJECT_CALLS = frozenset(("forward",))


EVALUATES = re.compile(
    r"(^|_)(eval|evaluate|evaluation|validate|validation|valid|val|test|accuracy|infer|inference|predict|predictions?)(_|$)"
)


ON_PURPOSE = re.compile(
    r"(^|_)(mc|monte|dropout|uncertainty|ensemble|adapt|adaptation|attack|adversarial|train|bn)(_|$)"
)


EXPECTS = re.compile(r"raises|suppress", re.IGNORECASE)


CATCHES = re.compile(
    r"\b(Exception|BaseException|RuntimeError|ValueError|TypeError|IndexError|AssertionError)\b"
)


_KNOWN: set[str] = set()  # names that rules asked for and that the tables have


@dataclass(frozen=True, eq=False)
class Reading(Mending):
    """One scope's facts, in the terms that rules use.

    `text` gives the source of an instruction. `origin` is the site in the caller's words, for what a
    caller handed over.
    """

    facts: Facts
    text_of: Callable[[str, int], str] = field(repr=False, default=lambda scope, ref: "")
    resolve: Callable[[Site], Site] = field(repr=False, default=lambda site: site)
    torch: str | None = None  # the version that the code will run on; None: the newest

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
        if ON_PURPOSE.search(name) is not None or self.kind == "module" or self.tests_code:
            return False
        return self.evaluates_by_name or self.sets_eval or self._picks_classes

    @property
    def evaluates_by_name(self) -> bool:
        return EVALUATES.search(self.name.lower()) is not None

    @property
    def _picks_classes(self) -> bool:
        return any(c.op == "argmax" and c.under("grad", "off") for c in self.calls())

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

    @cached_property
    def _breaking(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for call in self._by_place.values():
            if any(fact.broken for fact in call.facts):
                for kind in dict.fromkeys(b.kind for b in call.broken):
                    found.setdefault(kind, []).append(call)
        return found

    def calls_that_break(self, *kinds: str) -> list[Call]:
        """Calls with a requirement of these kinds that fails."""
        if len(kinds) == 1:
            return self._breaking.get(kinds[0], [])
        found = {(c.ref, c.part): c for kind in kinds for c in self._breaking.get(kind, ())}
        return [found[place] for place in self._by_place if place in found]

    @cached_property
    def _by_tag(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for call in self._by_place.values():
            op = OPS.get(call.spelling)
            for tag in op.tags if op is not None else ():
                found.setdefault(tag, []).append(call)
        return found

    def calls_tagged(self, tag: str) -> list[Call]:
        """Calls of ops whose row carries the tag."""
        return self._by_tag.get(tag, [])

    @cached_property
    def _by_region(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for call in self._by_place.values():
            for kind in {region.kind for region in call.regions}:
                found.setdefault(kind, []).append(call)
        return found

    def calls_under(self, *kinds: str) -> list[Call]:
        """Calls that run under a region of one of these kinds on every path."""
        if not self._by_region:
            return []
        found = {(c.ref, c.part) for kind in kinds for c in self._by_region.get(kind, ())}
        return [call for place, call in self._by_place.items() if place in found]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The names and tags of all its calls, the kinds of all its events, regions and of all that breaks."""
        return frozenset().union(self._by_name, self._by_tag, self._by_region, self._events, self._breaking)

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
        made = definitions(self.facts.scope)
        caught = [i for i in made.of_kind(ir.Try) if any(self._catches(h) for h in i.handlers)]
        expected = [i for i in made.of_kind(ir.With) if EXPECTS.search(self.text(i.context))]
        bodies = [i.body for i in caught] + [i.body for i in expected]
        return frozenset[int]().union(*(refs_within(inner) for body in bodies for inner in body))

    def _catches(self, handler: ir.Handler) -> bool:
        return handler.kinds is None or CATCHES.search(self.text(handler.kinds)) is not None

    def holds(self, site: Site) -> bool:
        """Whether a place is in this scope, and not in one that called it."""
        return site.scope == self.facts.key

    def made(self, value: Value | None, words: str) -> tuple[tuple[Site, str], ...]:
        """Where an object or a tensor was made, as a related place."""
        calls = value.calls if isinstance(value, Tensor) else ()
        sites = [value.to] if isinstance(value, Pointer) else sorted(calls)[:1]
        return tuple((site, words) for site in sites)

    def turns(self, loop: int, count: Operand) -> bool:
        """Whether a loop turns exactly so often: `range(n)` of the same number, or of the same expression."""
        over = self.call_of(structure.over(self.facts.scope, loop))
        ref = over.positional(0) if over is not None and over.op == "range" else None
        known = over["args"] if over is not None else None
        if ref is None or known is None or over is None or over.positional(1) is not None:
            return False
        same = known.value == Items((count.value,)) and count.constant is not ...
        return same or (self.text(ref) == count.text and not count.literal)

    def call_of(self, ref: int | None) -> Call | None:
        """The call that an expression is, at once or by a variable that is stored once."""
        return self.call_made(structure.stored(self.facts.scope, ref))

    def may_wait(self, first: int, last: int) -> bool:
        """Whether something between two instructions is a collective, or a call of which nothing is known."""
        between = structure.calls_between(self.facts.scope, first, last)
        found = [self.call_made(ref) for ref in between]
        return any(call is None or not call.op or call.tagged("collective") for call in found)

    def call_made(self, ref: int | None) -> Call | None:
        """The call that an instruction is."""
        return self._by_place.get((ref, "")) if ref is not None else None

    def calls_within(self, ref: int | None) -> Iterator[Call]:
        """The calls that an expression is made of, through local variables that are stored once."""
        for inner in structure.calls_within(self.facts.scope, ref):
            call = self.call_made(inner)
            if call is not None:
                yield call

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
                    yield Term(call.at, maker, tensor.shape == ())

    def _factor(self, term: Operand) -> Tensor | None:
        """A term's tensor; of a product with something unknown, the side that is known."""
        product = self._by_place.get((term.ref or 0, ""))
        if term.tensor is None and product is not None and product.op == "mul":
            sides = [o.tensor for o in product.operands if o.tensor is not None]
            return sides[0] if len(sides) == 1 else None
        return term.tensor

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
