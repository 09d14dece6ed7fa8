"""Datasets whose stored numbers change with each example that is taken: `x = self.rows[i]; x.mul_(gain)`.

Notes "example-worn" where a loader is made. Each call of `__getitem__` must write to memory that the dataset
holds, in the same way on every path, and change nothing else: no flag says that it has been done. What is
written must go on from what was there, each time anew, by a factor or a term that does not come from it: a
row less its own mean is the same when that is done twice. And the source must say it of a variable, for who
writes `self.seen[i] += 1` means what is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchwise.domain.value import NONE, Const, Num, Obj, Pointer, Site, Value
from torchwise.flow.definitions import Definitions, definitions, operands
from torchwise.flow.reach import reach, tensors
from torchwise.ir import nodes as ir

if TYPE_CHECKING:
    from torchwise.flow.run import Run
    from torchwise.flow.state import State

SUMS = frozenset(("add_", "sub_", "subtract_", "operator.iadd", "operator.isub"))
PRODUCTS = frozenset(("mul_", "multiply_", "operator.imul"))
QUOTIENTS = frozenset(("div_", "divide_", "true_divide_", "operator.itruediv"))
AUGMENTED = frozenset(f"operator.i{name}" for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
))  # fmt: skip
GOES_ON = SUMS | PRODUCTS | QUOTIENTS
DRAWS = frozenset((
    "rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "normal", "normal_", "uniform",
    "uniform_", "random", "random_", "gauss", "poisson", "bernoulli", "bernoulli_", "standard_normal",
    "choice", "sample",
))  # fmt: skip


DEEPEST = 12


def note_worn(run: Run, state: State, loader: Obj, dataset: Value, ends: list[State], ref: int) -> None:
    """`ends`: the states that one example may be made in, from `state`."""
    if not isinstance(dataset, Pointer) or not ends or _forgotten_by_workers(loader):
        return
    held = reach([dataset], state.heap)
    if any(end.heap.get(site) != obj for end in ends for site, obj in held.items()):
        return
    for storage in dict.fromkeys(t.storage for t in tensors((), held) if t.storage is not None):
        last = {end.written.get(storage) for end in ends}
        written = last.pop()
        if last or written is None or written.by is None:
            continue
        times = written.version - state.version(storage)
        if times and _goes_on(run, written.by, times):
            run.event("example-worn", ref, state, (written.by, dataset.to), dataset)
            return


def _forgotten_by_workers(loader: Obj) -> bool:
    """Whether examples are made by worker processes that are gone after each epoch, with what they wrote."""
    workers = loader.attrs.get("num_workers", NONE)
    some = isinstance(workers, Num) and workers.dim.number != 0
    return some and loader.attrs.get("persistent_workers") != Const(True)


def _goes_on(run: Run, by: Site, times: int) -> bool:
    """Whether all writes to the variable that the last of so many writes is to go on from what was there."""
    key, ref = by.place
    scope = run.lookup.scope(key)
    made = definitions(scope) if scope is not None else None
    name = _variable(made, made.get(ref)) if made is not None else ""
    if not name or made is None or scope is None or name not in scope.stores:
        return False
    writes = [i for i in made.of_kind(ir.Call) if _variable(made, i) == name]
    puts = [i for i in made.of_kind(ir.SetIndex) if name in _words(made, i.base)]
    return len(writes) == times and not puts and all(_anew(made, i, name) for i in writes)


def _variable(made: Definitions, instr: ir.Instr | None) -> str:
    """The variable whose memory an instruction changes in place; "" where it changes none."""
    if not isinstance(instr, ir.Call):
        return ""
    name, target = _in_place(made, instr)
    found = made.get(target) if name else None
    return found.name if isinstance(found, ir.Load) else _variable(made, found)


def _in_place(made: Definitions, call: ir.Call) -> tuple[str, int]:
    """The operator or method that changes something in place, and that; "" where there is none."""
    if isinstance(call.callee, str):
        return (call.callee, call.args[0].ref) if call.callee in AUGMENTED else ("", 0)
    method = made.get(call.callee)
    ends = isinstance(method, ir.Attr) and method.name.endswith("_") and not method.name.endswith("__")
    return (method.name, method.base) if ends and isinstance(method, ir.Attr) else ("", 0)


def _anew(made: Definitions, call: ir.Call, name: str) -> bool:
    """Whether a write moves what is there each time it is done."""
    operator, _ = _in_place(made, call)
    given = call.args[1:] if isinstance(call.callee, str) else call.args
    if operator not in GOES_ON or len(given) != 1 or given[0].stars:
        return False
    by = made.get(given[0].ref)
    words = set(_words(made, given[0].ref))
    if not DRAWS.isdisjoint(words):
        return True
    if isinstance(by, ir.Const):
        return by.value not in ((0,) if operator in SUMS else (0, 1))
    return operator not in PRODUCTS and name not in words  # a factor may be a mask


def _words(made: Definitions, ref: int, depth: int = 0) -> Iterator[str]:
    """The names and attributes that an expression is made of, through variables that are stored once."""
    instr = made.get(ref)
    if instr is None or depth > DEEPEST:
        return
    if isinstance(instr, ir.Load | ir.Attr):
        yield instr.name
    inner = made.stored_once(instr.name) if isinstance(instr, ir.Load) else None
    for one in (*operands(instr), *(() if inner is None else (inner,))):
        yield from _words(made, one, depth + 1)
