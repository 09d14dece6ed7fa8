"""What stands where in a scope, whatever the values are: names, tests and loops around an instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchwise.domain.value import Site
from torchwise.flow.definitions import definitions, operands
from torchwise.flow.roles import left_to_base
from torchwise.ir import nodes as ir
from torchwise.rules import accumulation, applied, improvement, structure
from torchwise.rules.vocabulary.happening import refs_within
from torchwise.rules.vocabulary.protocol import Protocol


@dataclass(frozen=True, eq=False)
class Standing(Protocol):
    """The words of a reading that ask the text alone."""

    def text(self, ref: int | None) -> str:
        """The source of an instruction."""
        raise NotImplementedError

    @property
    def left_to_base(self) -> bool:
        """Whether it is a method that nobody calls but, perhaps, a base class of another library: in what
        mode, that class knows.
        """
        return not self.facts.called and left_to_base(self.facts.order)

    @property
    def tests_code(self) -> bool:
        """Whether it is a test of code, and of no model on data: one that asserts, of a TestCase, or that goes
        through nothing.
        """
        if not self.facts.scope.name.lower().lstrip("_").startswith("test"):
            return False
        instrs = definitions(self.facts.scope).values()
        if not any(isinstance(i, ir.Loop) for i in instrs):
            return True
        return any(path.endswith(".TestCase") for path in self.facts.order) or any(
            isinstance(i, ir.Assert) or (isinstance(i, ir.Attr) and i.name.startswith("assert"))
            for i in instrs
        )

    def always_follows(self, ref: int, first: int) -> bool:
        """Whether whatever runs `first` goes on to run `ref`, as far as tests go: `ref` stands under none
        of its own, and no block around `first` is left before.
        """
        scope = self.facts.scope
        shared = structure.tests_around(scope, ref).items() <= structure.tests_around(scope, first).items()
        return shared and not (ref > first and structure.left_between(scope, first, ref))

    def always_runs(self, ref: int) -> bool:
        """Whether whoever calls the function comes to an instruction: no test stands around it, and none
        before it leaves.
        """
        scope = self.facts.scope
        return not structure.tests_around(scope, ref) and not structure.may_leave_before(scope, ref)

    def beside(self, site: Site) -> bool:
        """Whether a place is in the file of this scope."""
        return site.place[0].partition("::")[0] == self.facts.key.partition("::")[0]

    def loop_names(self, ref: int) -> tuple[str, ...]:
        """The names that the loops around an instruction give their items."""
        return tuple(
            n
            for loop in structure.loops_around(self.facts.scope, ref)
            for n in structure.item_names(self.facts.scope, loop)
        )

    def defines_under(self, test: int) -> bool:
        """Whether a function is defined on a side of an `if`: what it does is done by whoever calls it."""
        made = definitions(self.facts.scope)
        asked = (i for i in made.of_kind(ir.If) if isinstance(i, ir.If) and i.test == test)
        inner = (made.get(ref) for one in asked for ref in refs_within(one))
        return any(isinstance(i, ir.Define) and i.kind == "function" for i in inner)

    def over(self, loop: int) -> int | None:
        """What a loop goes over."""
        return structure.over(self.facts.scope, loop)

    def loop_text(self, loop: int) -> str:
        """What a loop goes over, and the names it gives."""
        instr = definitions(self.facts.scope).get(loop)
        names = structure.item_names(self.facts.scope, instr) if isinstance(instr, ir.Loop) else ()
        over = self.text(instr.over) if isinstance(instr, ir.Loop) else ""
        return " ".join((over, *names))

    def every_nth(self, ref: int) -> list[accumulation.Nth]:
        """What the innermost loop around an instruction does on every n-th turn only."""
        return accumulation.every_nth(self.facts.scope, ref)

    def gathered(self, ref: int) -> list[tuple[int, int | None]]:
        """The tests of a counter under which an optimizer steps, though a backward runs every time; and
        what the counter is divided by.
        """
        found = list(accumulation.gathered(self.facts.scope, ref))
        turns = accumulation.inner_loop(self.facts.scope, ref)
        return [*found, (turns, turns)] if turns is not None else found

    def unpacked(self, ref: int) -> int | None:
        """What an element of is taken at an instruction of an unpacking."""
        instr = definitions(self.facts.scope).get(ref)
        return instr.value if isinstance(instr, ir.Unpack) else None

    def always(self, ref: int) -> bool:
        """Whether an instruction runs whenever its scope does: under no test, and behind none that may end it."""
        return structure.always(self.facts.scope, ref)

    def under_counter(self, ref: int, always: int) -> list[int]:
        """The tests of a counter that an instruction stands under, and another one does not."""
        return accumulation.under_counter(self.facts.scope, ref, always)

    def every_turn(self, ref: int) -> bool:
        """Whether an instruction runs in each turn of the innermost loop around it."""
        return structure.every_turn(self.facts.scope, ref)

    def asks_since(self, ref: int, first: int) -> bool:
        """Whether a test that `ref` alone stands under asks for what is worked out after `first`."""
        return structure.asks_since(self.facts.scope, ref, first)

    def after_loop(self, first: int, ref: int) -> bool:
        """Whether an instruction runs once all turns of the innermost loop around another have run."""
        return structure.after_loop(self.facts.scope, first, ref)

    def keeps(self, ref: int, depth: int = 0) -> bool:
        """Whether the scope puts what an instruction gives into an attribute: at once, by a variable, or as
        part of a list or of what is made of it.
        """
        defs = definitions(self.facts.scope)
        holders = [(i.out, i.args) for i in defs.of_kind(ir.Call)]
        holders += [(i.out, i.items) for i in defs.of_kind(ir.Build)]
        for out, parts in holders if depth < 3 else ():
            if any(part.ref == ref for part in parts) and self.keeps(out, depth + 1):
                return True
        kept = {i.value for i in defs.values() if isinstance(i, ir.SetAttr)}
        names = {i.name for i in defs.values() if isinstance(i, ir.Store) and i.value == ref}
        return ref in kept or any(isinstance(defs.get(k), ir.Load) and defs[k].name in names for k in kept)  # type: ignore[attr-defined]

    def unreturned(self) -> Iterator[tuple[int, str]]:
        """Results of calls that a local name gets as the last thing on a path that ends without a return, in a
        scope that gives back something on another one.
        """
        return applied.unreturned(self.facts.scope) if applied.returns_values(self.facts.scope) else iter(())

    def called_with_parameters(self, ref: int) -> bool:
        """Whether all that is done with a value is calling it with what the scope itself was called with."""
        return applied.called_with_parameters(self.facts.scope, ref)

    def only_goes_to(self, ref: int, to: int) -> bool:
        """Whether what an instruction gives goes into one call, and nowhere else."""
        return ref == to or applied.only_goes_to(self.facts.scope, ref, to)

    def kept_beside(self, ref: int | None) -> int | None:
        """Where a variable that is read at an instruction was put into a list or the like before."""
        return None if ref is None else applied.kept_beside(self.facts.scope, ref)

    def read_again(self, ref: int | None, made: int) -> int | None:
        """Where the value of a variable that is read at an instruction is read once more after it, or goes
        into one expression with what a call has made of it.
        """
        return None if ref is None else applied.read_again(self.facts.scope, ref, made)

    def lost_items(self) -> Iterator[tuple[int, str]]:
        """Where a loop gives the name of its item another value, which nothing reads."""
        return structure.lost_items(self.facts.scope)

    def expression(self, ref: int) -> set[int]:
        """The instructions that a value is made of where it stands."""
        return structure.expression(self.facts.scope, ref)

    def detached_at_once(self, ref: int) -> bool:
        """Whether `.detach()` is all that is done with what an instruction gives."""
        uses = [i for i in definitions(self.facts.scope).values() if ref in operands(i)]
        return len(uses) == 1 and isinstance(uses[0], ir.Attr) and uses[0].name == "detach"

    def tests(self) -> Iterator[int]:
        """What `if` and `while` ask."""
        return structure.tests_in(self.facts.scope)

    @property
    def asks_version(self) -> bool:
        """Whether any test asks for a version of torch, or whether something is there."""
        words = {word.lower() for test in self.tests() for word in self.words_in(test)}
        return any("version" in word or word in ("hasattr", "getattr") for word in words)

    def runs_project(self, ref: int | None) -> bool:
        """Whether an instruction runs a function of the project: a call, or a property that is read."""
        return any(entered.at == ref for entered in self.facts.entered)

    def asked_before(self, ref: int, name: str) -> bool:
        """Whether an `if` that an instruction stands under asks for an attribute of this name."""
        around = structure.tests_around(self.facts.scope, ref)
        tests = [i.test for i in definitions(self.facts.scope).of_kind(ir.If) if i.out in around]
        return any(name in self.words_in(test) for test in tests)

    def counts(self, ref: int | None, name: str) -> bool:
        """Whether an expression computes from this name or attribute itself: `self.steps + 1`."""
        computed = isinstance(definitions(self.facts.scope).get(ref or 0), ir.Call)
        return computed and name in structure.words_in(self.facts.scope, ref)

    def outlives(self, ref: int | None) -> bool:
        """Whether an expression is an attribute, or a name of the file, that is there after the call."""
        return structure.outlives(self.facts.scope, ref)

    def empties(self, ref: int | None) -> bool:
        """Whether the scope itself empties the list that an expression is, or puts another in its place."""
        return structure.empties(self.facts.scope, ref)

    def bare_attributes(self) -> Iterator[structure.Attribute]:
        """Attributes that are named as a statement of their own, so that nothing comes of them."""
        return structure.bare_attributes(self.facts.scope)

    def assigned_attributes(self) -> Iterator[structure.Attribute]:
        """`base.name = value`, each as it stands in the source."""
        return structure.assigned_attributes(self.facts.scope)

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
        inside = refs_within(made[loop])
        return any(
            isinstance(i, ir.Store) and i.name == instr.name and i.out in inside for i in made.values()
        )

    def names_of(self, ref: int) -> list[str]:
        """The names that a value is bound to as it stands: variables and attributes."""
        bound = (i for i in definitions(self.facts.scope).values() if isinstance(i, ir.Store | ir.SetAttr))
        return [i.name for i in bound if i.value == ref]

    def words_in(self, ref: int | None) -> frozenset[str]:
        """The names and attributes that an expression is made of, through local variables that are stored
        once.
        """
        return frozenset(structure.words_in(self.facts.scope, ref))

    def assigned(self, ref: int) -> int | None:
        """The instruction whose value an assignment assigns."""
        instr = definitions(self.facts.scope).get(ref)
        return instr.value if isinstance(instr, ir.SetAttr | ir.Store) else None

    def attribute(self, ref: int | None) -> tuple[int, str] | None:
        """`x.name` as the instruction of `x` and the name."""
        instr = definitions(self.facts.scope).get(ref) if ref is not None else None
        return (instr.base, instr.name) if isinstance(instr, ir.Attr) else None

    def used(self, ref: int) -> bool:
        """Whether anything in the scope is done with an instruction's value."""
        return ref in definitions(self.facts.scope).used

    def improvements(self) -> list[improvement.Improvement]:
        """Where a figure is compared with the best so far, which it then becomes."""
        return list(improvement.improvements(self.facts.scope))

    def sets_again(self, name: str, ref: int) -> bool:
        """Whether a name or an attribute is set to anything but one more than it was, in the loop around an
        instruction or, where there is none, anywhere here.
        """
        return improvement.sets_again(self.facts.scope, name, ref)
