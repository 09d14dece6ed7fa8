"""What a test asks that changes what its sides may do: the process, whether Dynamo traces, the mode.

A test asks for the rank where something in it comes from what tells it: `get_rank()`, `os.environ["RANK"]`,
what is handed to `init_process_group` as `rank`, the attributes of launchers. A name alone tells it where
nobody calls anything else so. What may be a process as well as a graphics card or a node of a graph
(`gpu_id`, `node_idx`) is "process": right programs are left alone for it, and none is accused. `rank == -1`
and `rank is None` ask whether there are several processes at all, and all of them answer alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from torchwise.domain.value import Region
from torchwise.flow.definitions import Definitions
from torchwise.flow.run import Run
from torchwise.ir import nodes as ir

ON_SOME = ("rank", "process")  # behind `if rank != 0: return` only some processes go on
RANK = re.compile(
    r"^_*((get|is|on|my|this|current|global|local|world|process|node|dist|ddp|dp)_)*rank(_?(0|zero))?$"
    r"|^_*(is_)?((local|world|global)_)*(main|master|primary|chief)_(process|proc|rank|node|worker|ordinal)$"
    r"|^_*is_((local|world|global)_)*(main|master|primary|chief|coordinator|zero|process_zero)$"
    r"|^(is_)?global_zero$|^((local|global)_)?process_index$|^get_(local_)?ordinal$"
)
VARIABLES = frozenset(
    ("RANK", "LOCAL_RANK", "GLOBAL_RANK", "SLURM_PROCID", "SLURM_LOCALID", "OMPI_COMM_WORLD_RANK")
)
ASKED = (
    ("rank", RANK),
    (
        "process",
        re.compile(
            r"(^|_)rank(_|$|0|zero)|(^|_)(is_)?(main|master|primary|chief|global_zero|coordinator)(_|$)"
            r"|(^|_)(gpu|device|proc|process|node|worker)_?(id|idx|index)$"
        ),
    ),
    ("compiling", re.compile(r"^is_(dynamo_)?(compiling|exporting|tracing|scripting)$")),
    ("training", re.compile(r"^training$")),
    ("device", re.compile(r"(^|_)(cuda|gpus?|device|mps)(_|$)")),
)


def guarded(run: Run, test: int) -> tuple[Region, ...]:
    asked = run.asks.get(test)
    if asked is None:
        kinds = _KINDS_ASKED.setdefault(run.defs, {}).get(test)
        if kinds is None:
            kinds = _KINDS_ASKED[run.defs][test] = _kinds(run.defs, test)
        asked = run.asks[test] = tuple(Region("guard", kind, run.site(test)) for kind in kinds)
    return asked


_KINDS_ASKED: WeakKeyDictionary[Definitions, dict[int, list[str]]] = WeakKeyDictionary()


def _kinds(defs: Definitions, test: int) -> list[str]:
    every, telling = frozenset(_words(defs, test)), frozenset(_words(defs, test, telling=True))
    kinds = []
    for kind, pattern in ASKED:
        words = telling if kind in ON_SOME else every
        kinds += [kind] if any(pattern.search(word) for word in words) else []
    words = telling
    told = not words.isdisjoint(VARIABLES) or not words.isdisjoint(_handed_as_rank(defs))
    return ["rank", *kinds] if told and "rank" not in kinds else kinds


def _handed_as_rank(defs: Definitions) -> frozenset[str]:
    """Names that `init_process_group(rank=...)` is given."""
    known = _HANDED.get(defs)
    if known is None:
        made = (i for i in defs.of_kind(ir.Call) if isinstance(i, ir.Call) and _begins(defs, i))
        given = [defs.get(a.ref) for instr in made for a in instr.args if a.name == "rank"]
        known = _HANDED[defs] = frozenset(g.name for g in given if isinstance(g, ir.Load))
    return known


_HANDED: WeakKeyDictionary[Definitions, frozenset[str]] = WeakKeyDictionary()


def _begins(defs: Definitions, instr: ir.Call) -> bool:
    called = defs.get(instr.callee) if isinstance(instr.callee, int) else None
    return isinstance(called, ir.Attr | ir.Load) and called.name == "init_process_group"


def _words(defs: Definitions, ref: int | None, depth: int = 0, telling: bool = False) -> Iterator[str]:
    """Names and attributes in a test, and variables of the environment; of a local variable that is stored
    once, in what it was made of too. `telling`: of what processes may answer in different ways.
    """
    inner: list[int | None] = []
    match defs.get(ref) if ref is not None else None:
        case ir.Call(callee=str(operator), args=(_, ir.Arg(ref=limit))) if telling and _asks_whether(
            defs, operator, limit
        ):
            return
        case ir.Load(name=name):
            yield name
            if depth < 2:
                yield from _words(defs, defs.stored_once(name), depth + 1, telling)
        case ir.Const(value=str(text)) if text in VARIABLES:
            yield text
        case ir.Attr(base=base, name=name):
            yield name
            inner = [base]
        case ir.Call(callee=callee, args=args):
            inner = [*((callee,) if isinstance(callee, int) else ()), *(a.ref for a in args)]
        case ir.If(test=test, values=(a, b)):
            inner = [test, a, b]
        case ir.Index(base=base, index=index):
            inner = [base, *((index,) if isinstance(defs.get(index), ir.Const) else ())]
    for one in inner:
        yield from _words(defs, one, depth, telling)


def _asks_whether(defs: Definitions, operator: str, limit: int) -> bool:
    """A comparison with -1 or None, or of what is below 0 and what is not."""
    instr = defs.get(limit)
    if isinstance(instr, ir.Call) and instr.callee == "operator.neg":
        return operator.startswith(COMPARES)
    known = instr.value if isinstance(instr, ir.Const) else ...
    apart = operator in ("operator.lt", "operator.ge") and known == 0
    return apart or (operator.startswith(COMPARES) and (known is None or known == -1))


COMPARES = tuple(f"operator.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge", "is_"))
