"""What a fix has to know before it moves or drops something: who else uses a value, and what it would mean elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from torchwise.domain.value import Site, Tensor
from torchwise.flow.definitions import definitions, nested, operands
from torchwise.ir import nodes as ir
from torchwise.rules import structure
from torchwise.rules.vocabulary.standing import Standing

ARITHMETIC = frozenset(
    f"operator.{n}" for n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos")
)
OF_TWO = ("max", "min", "abs")  # of Python's own functions, those that Dynamo traces with tensors


@dataclass(frozen=True, eq=False)
class Mending(Standing):
    """The words of a reading that fixes ask."""

    def from_caller(self, site: Site) -> bool:
        """Whether a site is one that a caller of this scope handed over, as it is: a call of its own."""
        return site.scope == "^" and not site.part

    def writes_unseen(self, site: Site) -> bool:
        """Whether what a call writes to in place is reached by `.data`, whose version counter is its own."""
        scope, made = self.facts.scope, definitions(self.facts.scope)
        call = made.get(site.ref) if site.scope == self.facts.key and not site.part else None
        match call:
            case None:
                return re.search(r"\.data\b", self.text_at(site)) is not None
            case ir.SetIndex(base=base):
                ref: int | None = base
            case ir.Call(callee=str(), args=args):
                ref = args[0].ref
            case _:
                ref = call.out
        for _ in range(12):
            instr = made.get(structure.stored(scope, ref) or 0)
            match instr:
                case ir.Attr(name="data"):
                    return True
                case ir.Attr(base=base) | ir.Index(base=base):
                    ref = base
                case ir.Call(callee=int() as callee):
                    ref = callee
                case _:
                    return False
        return False

    def text_at(self, site: Site) -> str:
        """The source of a site, in whatever scope."""
        raise NotImplementedError

    def has_method(self, ending: str) -> bool:
        """Whether anything is asked for an attribute of such a name, or of one that ends so: `x.train_step`."""
        return any(i.name.endswith(ending) for i in definitions(self.facts.scope).of_kind(ir.Attr))

    def means_the_same(self, ref: int | None, later: int | None) -> bool:
        """Whether a name, or an attribute of one, still means at a later instruction what it means at `ref`."""
        made = definitions(self.facts.scope)
        instr = made.get(ref or 0)
        while isinstance(instr, ir.Attr):
            instr = made.get(instr.base)
        if not isinstance(instr, ir.Load) or ref is None or later is None:
            return False
        written = (
            i for i in made.values() if isinstance(i, ir.Store | ir.Drop | ir.SetAttr) and ref < i.out < later
        )
        return not any(isinstance(i, ir.SetAttr) or i.name == instr.name for i in written)

    def only_used_at(self, ref: int, load: int | None) -> bool:
        """Whether a local name is all that gets what an instruction gives, and is read at one place alone."""
        scope, made = self.facts.scope, definitions(self.facts.scope)
        uses = [i for i in made.values() if ref in operands(i)]
        if scope.kind != "function" or scope.inner or len(uses) != 1 or not isinstance(uses[0], ir.Store):
            return False
        name = uses[0].name
        loads = [i.out for i in made.of_kind(ir.Load) if i.name == name]
        return loads == [load] and made.stored_once(name) == ref and all(n != name for n, _ in scope.outer)

    def only_computed_with(self, ref: int, depth: int = 0) -> bool:
        """Whether all that is done with a number is arithmetic that ends in tensors: a tensor could stand for it."""
        scope, made = self.facts.scope, definitions(self.facts.scope)
        uses = [i for i in made.values() if ref in operands(i)]
        if not uses or depth > 8 or scope.inner:
            return False
        for use in uses:
            match use:
                case ir.Store(name=name) if made.stored_once(name) == ref:
                    loads = [i.out for i in made.of_kind(ir.Load) if i.name == name]
                    if not all(self.only_computed_with(load, depth + 1) for load in loads):
                        return False
                case ir.Call(callee=callee) if callee in ARITHMETIC or any(
                    self.calls_name(use.out, n) for n in OF_TWO
                ):
                    tensor = isinstance(self.facts.values.get(use.out), Tensor)
                    if not tensor and not self.only_computed_with(use.out, depth + 1):
                        return False
                case _:
                    return False
        return True

    def choice(self, test: int) -> tuple[int, Site | None] | None:
        """An `if` whose sides do nothing but return a tensor, or give one to the same name; and where the other
        side stands behind it, that statement.
        """
        made = definitions(self.facts.scope)
        branch = next((i for i in made.of_kind(ir.If) if i.test == test), None)
        if branch is None or branch.values is not None:
            return None
        rest = branch.other or self._behind(branch)
        sides = [self._only_value(block) for block in (branch.then, rest)]
        if None in sides or not self._alike([self.facts.values.get(value or 0) for value in sides]):
            return None
        return branch.out, None if branch.other else Site(self.facts.key, rest[-1].out)

    def _behind(self, branch: ir.If) -> ir.Block:
        """What follows an instruction in its block."""
        made = definitions(self.facts.scope)
        blocks = [self.facts.scope.body, *(tuple(nested(i)) for i in made.values())]
        for block in blocks:
            if branch in block:
                return block[block.index(branch) + 1 :]
        return ()

    def _only_value(self, block: ir.Block) -> int | None:
        """What a block returns or stores, where it does nothing else."""
        last = block[-1] if block else None
        value = last.value if isinstance(last, ir.Return | ir.Store) else None
        if value is None:
            return None
        return value if {i.out for i in block[:-1]} <= structure.expression(self.facts.scope, value) else None

    def _alike(self, values: list[object]) -> bool:
        """Whether both are tensors, and nothing is known in which they differ."""
        tensors = [v for v in values if isinstance(v, Tensor)]
        if len(tensors) != 2:
            return False
        one, two = tensors
        return one.shape == two.shape and (one.dtype is None or two.dtype is None or one.dtype == two.dtype)
