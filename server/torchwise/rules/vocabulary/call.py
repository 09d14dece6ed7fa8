"""One call in the source, with all of its executions."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import dataclass

from torchwise.domain.batches import loader_of
from torchwise.domain.device import is_choice
from torchwise.domain.nature import word_of
from torchwise.domain.value import Const, Items, Num, Region, Site, Some, Tensor, Value
from torchwise.flow.definitions import definitions
from torchwise.flow.facts import CallFact
from torchwise.ir import nodes as ir
from torchwise.ops import OPS, Broken
from torchwise.rules.vocabulary.flag import Flag
from torchwise.rules.vocabulary.operand import Operand, joined
from torchwise.rules.wording import device_of, shape_of, tell, told

if typing.TYPE_CHECKING:
    from torchwise.rules.vocabulary.reading import Reading

FOUND = ("?found", "?chosen", "?different")  # sizes that show only in the values: of nonzero, a mask, unique


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
        """Whether it stands under a test of the "rank", of "compiling", of "training" or of the "device" on every path."""
        return self.under("guard", by) is not None

    @property
    def changes_values(self) -> bool:
        """Whether its result is other numbers or lies elsewhere, so that nobody would only look at it."""
        return self.op in ("to", "cuda", "masked_fill", "masked_scatter", "clamp", "clip", "scatter", "scatter_add",
                           "index_add", "index_copy", "index_fill", "fill_diagonal")  # fmt: skip

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
        for turn, facts in turns.items():
            if all(f.broken for f in facts) and (self.ref, turn) not in self.reading.facts.unanswered:
                first = facts[0].broken
                kinds = [{(b.kind, b.param) for b in f.broken} for f in facts]
                both = [b for b in first if all((b.kind, b.param) in k for k in kinds)]
                if both:
                    return both
        return []

    def breaks(self, *kinds: str) -> Iterator[Broken]:
        return (b for b in self.broken if b.kind in kinds)

    def breaks_at_once(self, kind: str) -> bool:
        """Whether it fails on every path already in the first turn that reaches it."""
        first = min(f.turn for f in self.facts)
        return all(any(b.kind == kind for b in f.broken) for f in self.facts if f.turn == first)

    def always_breaks(self, kind: str) -> bool:
        """Whether it fails in all turns."""
        return all(any(b.kind == kind for b in f.broken) for f in self.facts)

    def at_first(self, param: str) -> list[bool]:
        """Of the tensors of an argument in the first turn that comes here: whether each may need a gradient."""
        first = min(f.turn for f in self.facts)
        found = [f.args[param].value for f in self.facts if f.turn == first and param in f.args]
        inside = [v for value in found for v in (value.items if isinstance(value, Items) else (value,))]
        return [not (isinstance(v, Tensor) and v.requires_grad.fails) for v in inside]

    def may_break(self, kind: str) -> bool:
        """Whether a requirement fails on some path."""
        return any(b.kind == kind for f in self.facts for b in f.broken)

    @property
    def on_layer(self) -> bool:
        """Whether an object is called that was made before: `self.head(x)`."""
        return self.spelling.endswith(".__call__")

    @property
    def on_known_tensor(self) -> bool:
        """Whether it is called on a tensor for certain: not only taken for one because of its methods, which
        others have too, and by names.
        """
        given = self["self"] or self["input"]
        return given is not None and given.tensor is not None and given.tensor.shape is not None

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

    def gives_back(self, operand: Operand) -> bool:
        """Whether its result certainly lies in the memory of an argument."""
        pairs = [(f.args[operand.param].value, f.result) for f in self.facts if operand.param in f.args]
        return bool(pairs) and all(
            isinstance(given, Tensor)
            and isinstance(result, Tensor)
            and result.storage is not None
            and given.storage == result.storage
            for given, result in pairs
        )

    @property
    def of_float(self) -> bool:
        """Whether it gives a float that is not known."""
        return all(isinstance(f.result, Some) and f.result.kind == "float" for f in self.facts)

    @property
    def asks_found_size(self) -> bool:
        """Whether it gives a size that depends on values, or certainly compares one with another number."""
        if all(_found(f.result) for f in self.facts):
            return True
        sides = [[a.value for a in f.args.values()] for f in self.facts]
        numbers = all(isinstance(v, Num) for values in sides for v in values)
        open_ = not any(isinstance(f.result, Const) for f in self.facts)
        return numbers and open_ and all(any(_found(v) for v in values) for values in sides)

    @property
    def is_open(self) -> bool:
        """Whether `*args` or `**options` may hand over more than is seen."""
        instr = definitions(self.reading.facts.scope).get(self.ref)
        return isinstance(instr, ir.Call) and any(a.stars for a in instr.args)

    @property
    def result_needs_grad(self) -> bool:
        """Whether gradients certainly flow back from its result."""
        return all(isinstance(f.result, Tensor) and f.result.requires_grad.holds for f in self.facts)

    @property
    def gives_one_number(self) -> bool:
        """Whether its result is a tensor without axes, as a loss is."""
        result = self.result
        return isinstance(result, Tensor) and result.shape == ()

    @property
    def gives_number(self) -> bool:
        """Whether its result is an int or a float of Python or numpy."""
        result = self.result
        return isinstance(result, Num) or (isinstance(result, Some) and result.kind in ("int", "float"))

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
    def result_rank(self) -> int | None:
        result = self.result
        return result.rank if isinstance(result, Tensor) else None

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

    def positional(self, number: int) -> int | None:
        """The n-th argument as it stands in the source; None where one before it is spread out."""
        instr = definitions(self.reading.facts.scope).get(self.ref)
        args = instr.args[: number + 1] if isinstance(instr, ir.Call) else ()
        plain = len(args) == number + 1 and not any(a.stars or a.name for a in args)
        return args[number].ref if plain else None

    def tell(self, broken: Broken) -> str:
        """A sentence for a requirement that it does not meet."""
        return tell(self, broken)

    def tell_plainly(self, broken: Broken) -> str:
        """What is needed of which argument, without the sentence that the requirement brought along."""
        operand = self[broken.param]
        name = operand.quoted if operand is not None else f"`{broken.param}`"
        return f"{name} would have to fit {told(broken.wanted)}, and has {told(broken.got)}"

    def place_of(self, broken: Broken) -> str:
        """The device that an argument is on, and should not be."""
        return device_of(broken.got)

    def chooses_device(self, broken: Broken) -> bool:
        """Whether it stands under a test of the device, and one of the two is left open."""
        return self.guarded("device") and any(is_choice(d) for d in (broken.wanted, broken.got))

    def refuses(self, broken: Broken, **more: object) -> Flag:
        """A flag on the call for a requirement that it does not meet."""
        because = broken.because
        made = next(iter(because.calls), None) if isinstance(because, Tensor) else None
        origin = self.origin_of(broken)
        if made is None or made in (self.at, *(site for site, _ in origin)):
            return self.flag(self.tell(broken), origin, **more)
        whose = "the other one" if broken.param in self else "it"
        return self.flag(self.tell(broken), ((made, f"{whose} comes from here"), *origin), **more)

    def loader_of(self, broken: Broken) -> Site | None:
        """Where the loader was made whose last batch is at fault."""
        found = loader_of(broken.because) if broken.because is not None else None
        return None if found is None else Site(*found)

    def origin_of(self, broken: Broken) -> tuple[tuple[Site, str], ...]:
        """The line that made the argument at fault, with its shape, where it is another one."""
        operand = self[broken.param]
        origins = operand.origins if operand is not None else ()
        places = {(s.scope, s.ref, s.part) for s in origins}
        if operand is None or len(places) != 1 or not operand.sizes:
            return ()
        made = origins[0]
        if self.reading.here(made) in (self.at, operand.at):
            return ()
        return ((made, f"{operand.quoted} is made {operand.sizes} here"),)

    def __contains__(self, param: str) -> bool:
        return all(param in f.args for f in self.facts)

    def __getitem__(self, param: str) -> Operand | None:
        args = [f.args[param] for f in self.facts if param in f.args]
        return Operand(self, param, tuple(args)) if args else None

    @property
    def result(self) -> Value:
        return joined([f.result for f in self.facts])

    def flag(self, message: str, because: tuple[tuple[Site, str], ...] = (), **more: object) -> Flag:
        return self.reading.flag(self.ref, message, because, **more)


def _found(value: Value) -> bool:
    return isinstance(value, Num) and any(name.startswith(FOUND) for name in value.dim.symbols)
