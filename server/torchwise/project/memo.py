"""Remembers what interpretation found, and knows when it still stands.

One idea: while a scope is interpreted, every question it asks of the project is kept with its answer. What
was found stands as long as the scope's own IR is the same and every question still has the same answer.
Nothing is ever marked dirty, nothing is ever patched.

What depends on no file that changed stands without being looked at: each entry and each answer knows the
files that it rests on.

Circles: a call into a scope that is being run further up has no answer, and neither has any call within
the circle that shows so. Which scopes stand in one circle does not depend on where it was entered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from torchwise.domain.value import ANY, Class, Func, Module, Named
from torchwise.flow.facts import Facts
from torchwise.flow.interpret import Interpreted, instance_of, interpret
from torchwise.flow.lookup import ClassFacts, Snapshot
from torchwise.flow.reach import reach
from torchwise.flow.variant import NOTHING_KNOWN, Variant
from torchwise.ir import nodes as ir
from torchwise.project import classes
from torchwise.project.asked import Asking, Question
from torchwise.project.changes import Changes, names_touched, same
from torchwise.project.generic import crowded, generic
from torchwise.project.packages import hiding
from torchwise.project.program import TOP, Program

T = TypeVar("T")
NOTHING = Snapshot(ANY)
MAX_DEPTH = 60  # scopes that are run within one another
KEPT = 64  # revisions after which what nobody asked for is let go


@dataclass
class Entry:
    """`rests_on`: every scope that the result rests on. `checked`: the revision in which it was last known
    to stand.
    """

    scope: ir.Scope
    result: Interpreted
    asked: dict[Question, object]
    cost: int = 0  # in steps, with all that it asked for
    rests_on: frozenset[str] = frozenset()
    checked: int = -1


@dataclass
class Answer:
    value: object
    rests_on: frozenset[str]
    checked: int


@dataclass
class Memo:
    """Stateful by nature: what it remembers, and what it is in the middle of."""

    program: Program
    entries: dict[Variant, Entry] = field(default_factory=dict)
    answers: dict[Question, Answer] = field(default_factory=dict)
    rests_on: list[set[str]] = field(default_factory=lambda: [set()])  # by what is worked out: files it used
    changes: Changes = field(init=False)
    running: list[str] = field(default_factory=list)  # scopes, outermost first
    # by what is being worked out: the running scopes further up that it came back to
    cuts: list[set[str]] = field(default_factory=list)
    circle: dict[str, str] = field(default_factory=dict)  # scope -> one that stands for its circle
    revision: int = -1
    interpreted: list[str] = field(default_factory=list)  # for tests: which scopes were run
    naming: set[tuple[str, str]] = field(default_factory=set)  # global names that are being looked for
    crashed: Callable[[str], None] = print  # told where a run raised

    def __post_init__(self) -> None:
        self.changes = Changes(self.program)

    def refresh(self) -> None:
        """Notes that the program has changed since."""
        if self.revision == self.program.revision:
            return
        changed = self.changes.look()
        if changed is None or not changed.isdisjoint(self.circle):
            self.circle.clear()
        self.revision = self.program.revision
        self.interpreted = []
        if self.revision % KEPT == 0:
            old = self.revision - KEPT
            self.entries = {v: e for v, e in self.entries.items() if e.checked > old}
            self.answers = {q: a for q, a in self.answers.items() if a.checked > old}

    def steps_by_file(self) -> dict[str, int]:
        """How much is remembered, in steps of interpretation."""
        out: dict[str, int] = {}
        for variant, entry in self.entries.items():
            path = variant.scope.partition("::")[0]
            out[path] = out.get(path, 0) + entry.result.steps
        return out

    def let_go(self, paths: Collection[str]) -> None:
        """Forgets what was found in files, not that what rests on it stands."""

        def kept(scopes: Iterable[str]) -> bool:
            return not any(scope.partition("::")[0] in paths for scope in scopes)

        self.entries = {v: e for v, e in self.entries.items() if kept((v.scope,))}
        self.answers = {q: a for q, a in self.answers.items() if kept(a.rests_on)}
        for path in paths:
            self.changes.seen.pop(path, None)
            self.changes.rested.add(path)
            self.program.rest(path)

    def entry(self, variant: Variant) -> Entry | None:
        """What running this variant found; None where it stands in a circle with what is running, or does
        not exist.
        """
        if self._closes_circle(variant.scope):
            return None
        known = self.entries.get(variant)
        if known is not None and self._untouched(known):
            return known
        self.uses(variant.scope)
        scope = self.program.scope(variant.scope)
        if scope is None or len(self.running) > MAX_DEPTH:
            return None
        self.running.append(variant.scope)
        self.cuts.append(set())
        self.rests_on.append({variant.scope})
        try:
            found = self._stands(known, scope) or self._run(variant, scope)
        finally:
            self.running.pop()
            cut = self.cuts.pop()
            rests_on = self.rests_on.pop()
            self.rests_on[-1] |= rests_on
        cut.discard(variant.scope)
        if cut:
            for other in cut:
                self._join(variant.scope, other)
            if self.cuts:
                self.cuts[-1] |= cut
            return None
        found.rests_on, found.checked = frozenset(rests_on), self.revision
        self.entries[variant] = found
        return found

    def uses(self, scope: str) -> None:
        """What is being worked out rests on this scope."""
        self.rests_on[-1].add(scope)

    def _untouched(self, known: Entry | Answer) -> bool:
        """Whether nothing that it rests on has changed since it was last known to stand."""
        if known.checked != self.revision:
            changed = self.changes.since(known.checked)
            if changed is None or not known.rests_on.isdisjoint(changed):
                return False
            known.checked = self.revision
        self.rests_on[-1] |= known.rests_on
        return True

    def _closes_circle(self, scope: str) -> bool:
        """Whether the scope is being run further up, or is known to lead back to one that is."""
        if not self.running:
            return False
        if scope in self.running:
            self.cuts[-1].add(scope)
            return True
        if scope not in self.circle:
            return False
        root = self._find(scope)
        for other in self.running:
            if other in self.circle and self._find(other) == root:
                self.cuts[-1].add(other)
                return True
        return False

    def _find(self, scope: str) -> str:
        while scope in self.circle and self.circle[scope] != scope:
            scope = self.circle[scope]
        return scope

    def _join(self, a: str, b: str) -> None:
        a, b = self._find(a), self._find(b)
        first, last = min(a, b), max(a, b)
        self.circle[last] = first
        self.circle.setdefault(first, first)

    def _stands(self, known: Entry | None, scope: ir.Scope) -> Entry | None:
        if known is None or not same(known.scope, scope):
            return None
        asking = Asking(self, {})
        for question, answer in known.asked.items():
            now = asking.ask(question)
            if now is not answer and now != answer:
                return None
        return known

    def _run(self, variant: Variant, scope: ir.Scope) -> Entry:
        asking = Asking(self, {})
        self.interpreted.append(variant.scope)
        try:
            result = interpret(scope, variant.scope, asking, variant)
        except RecursionError:  # calls that are nested deeper than there is room for
            result = Interpreted(Facts(scope, variant.scope), NOTHING_KNOWN)
        except Exception:
            self.crashed(f"run of {variant.scope}")
            result = Interpreted(Facts(scope, variant.scope), NOTHING_KNOWN)
        return Entry(scope, result, asking.asked, result.steps + asking.cost)

    def answer(self, question: Question) -> object:
        kind, about = question
        if kind == "summary":
            assert isinstance(about, Variant)
            entry = self.entry(about)
            return NOTHING_KNOWN if entry is None else entry.result.summary
        known = self.answers.get(question)
        if known is not None and self._untouched(known):
            return known.value
        self.cuts.append(set())
        self.rests_on.append(set())
        value: object = _ANSWERS[kind](self, about)
        cut, rests_on = self.cuts.pop(), self.rests_on.pop()
        self.rests_on[-1] |= rests_on
        if self.cuts:
            self.cuts[-1] |= cut
        if known is not None and (known.value is value or known.value == value):
            value = known.value
        if not cut:  # else it depends on what was being run
            self.answers[question] = Answer(value, frozenset(rests_on), self.revision)
        return value

    def generic(self, key: str) -> Variant | None:
        """The variant of a function that nobody calls."""
        return self.answer(("generic", key))  # type: ignore[return-value]

    # -- the questions

    def _scope(self, key: object) -> ir.Scope | None:
        return self.program.scope(str(key))

    def _live(self, key: object) -> frozenset[str]:
        path, _, inner = str(key).partition("::")
        self.uses(names_touched(path))
        file = self.program.files.get(path)
        return file.touched.get(inner, frozenset()) if file else frozenset()

    def _imported(self, about: object) -> Snapshot:
        assert isinstance(about, tuple)
        return self.import_path(*about)

    def _global(self, about: object) -> Snapshot:
        assert isinstance(about, tuple)
        return self.global_name(*about) or NOTHING

    def _sets(self, about: object) -> bool:
        assert isinstance(about, tuple)
        path, attribute = about
        self.uses(f"{path}::{TOP}")
        file = self.program.files.get(path)
        return file is not None and attribute in file.bindings.attributes

    def _class(self, key: object) -> ClassFacts | None:
        self.uses(str(key))
        return classes.class_facts(self, str(key))

    def _instance(self, key: object) -> Snapshot:
        self.uses(str(key))
        scope = self.program.scope(str(key))
        mark = f"{key}<instance>"
        if scope is None:
            return NOTHING
        return self._marked(mark, lambda asking: instance_of(str(key), scope, asking)) or NOTHING

    def global_name(self, path: str, name: str) -> Snapshot | None:
        """A global name of a file; a builtin; None where the file binds no such name."""
        if (path, name) in self.naming:  # files that take all names from each other
            return NOTHING
        self.naming.add((path, name))
        try:
            return self._bound(path, name)
        finally:
            self.naming.discard((path, name))

    def _bound(self, path: str, name: str) -> Snapshot | None:
        self.uses(f"{path}::{TOP}")
        file = self.program.files.get(path)
        if file is None:
            return None
        found = file.bindings
        if name in found.fixed:
            return self._fixed(path, name, found.fixed[name])
        if name in found.live:
            return self._live_value(path, name)
        for star in reversed(found.stars):  # the later one hides the earlier
            brought = self._from_star(path, star, name)
            if brought is not None:
                return brought
        if name == "__name__":
            return NOTHING
        return Snapshot(Named(f"builtins.{name}"))

    def _fixed(self, path: str, name: str, instrs: tuple[ir.Instr, ...]) -> Snapshot:
        """Runs only the instructions that work the name out; a plain `def`, `class` or import needs none."""
        plain = self._plain(path, instrs)
        if plain is not None:
            return plain
        key = f"{path}::{TOP}"
        scope = ir.Scope(TOP, "module", name, (), instrs, frozenset((name,)), (), frozenset(), ())
        result = self._marked(f"{key}={name}", lambda asking: interpret(scope, key, asking, Variant(key, ())))
        if result is None:
            return NOTHING
        value = result.names.get(name, ANY)
        return Snapshot(
            value, {} if isinstance(value, Func | Class | Named | Module) and not result.heap else result.heap
        )

    def _plain(self, path: str, instrs: tuple[ir.Instr, ...]) -> Snapshot | None:
        match instrs:
            case (ir.Import(path=imported),):
                return self.import_path(path, imported)
            case (ir.Define(kind="class", key=key, decorators=()), ir.Store()):
                return Snapshot(Class(f"{path}::{key}"))
            case (ir.Define(key=key, decorators=(), defaults=()), ir.Store()):
                return Snapshot(Func(f"{path}::{key}"))
        return None

    def _marked(self, mark: str, work: Callable[[Asking], T]) -> T | None:
        """Does a small piece of interpretation under a mark of its own, so that circles through it are
        seen.
        """
        if mark in self.running:
            self.cuts[-1].add(mark)
            return None
        self.running.append(mark)
        self.cuts.append(set())
        try:
            return work(Asking(self, {}))
        finally:
            self.running.pop()
            cut = self.cuts.pop() - {mark}
            if cut and self.cuts:
                self.cuts[-1] |= cut

    def _live_value(self, path: str, name: str) -> Snapshot:
        entry = self.entry(Variant(f"{path}::{TOP}", ()))
        if entry is None or name not in entry.result.names:
            return NOTHING
        value = entry.result.names[name]
        return Snapshot(value, reach([value], entry.result.heap))

    def _from_star(self, path: str, star: str, name: str) -> Snapshot | None:
        target = self.program.index.find(star, path)
        if target is None:
            return Snapshot(Named(f"{star}.{name}")) if star.startswith("torch") else NOTHING
        known = self.program.files[target].module.scopes[TOP].stores
        return self.global_name(target, name) if name in known else None

    def import_path(self, importer: str, path: str) -> Snapshot:
        """`a.b.c` as a module of the project, as a name in one, or as something outside."""
        module, _, name = path.partition(":")
        if name:
            return self._name_in(module, name)
        target = self.program.index.find(path, importer)
        head, _, last = path.rpartition(".")
        if path.startswith(".") and not head.strip("."):
            head = path[: len(path) - len(path.lstrip("."))]
        owner = self.program.index.find(head, importer) if head else None
        if target is not None:
            found = hiding(self, owner, last) if owner not in (importer, target) else None
            return found or Snapshot(Module(target))
        if owner is not None and owner != importer:
            return self._name_in(owner, last)
        return Snapshot(ANY) if path.startswith(".") else Snapshot(Named(path))

    def _name_in(self, file: str, name: str) -> Snapshot:
        sub = self.program.index.relative(f".{name}", file) if file.endswith("__init__.py") else None
        found = self.global_name(file, name)
        if found is None or (isinstance(found.value, Named) and found.value.path == f"builtins.{name}"):
            return Snapshot(Module(sub)) if sub is not None else NOTHING
        return found


_ANSWERS = {
    "scope": Memo._scope,
    "live": Memo._live,
    "global": Memo._global,
    "sets": Memo._sets,
    "imported": Memo._imported,
    "class": Memo._class,
    "instance": Memo._instance,
    "generic": lambda memo, key: generic(memo, str(key)),
    "crowded": lambda memo, about: crowded(memo, *about),  # type: ignore[misc]
}
