"""What a DataLoader asks of a dataset: a length to shuffle by, and nothing inside that worker processes
cannot share.
"""

from __future__ import annotations

from torchwise.domain.value import NONE, Const, Func, Num, Obj, Pointer
from torchwise.domain.verdict import FAILS
from torchwise.ops.spec import Broken, Given

# Objects that each worker gets a copy of, so that all workers draw the same numbers, and again in the next
# epoch.
GENERATORS = frozenset(("numpy.random.Generator", "numpy.random.RandomState", "torch.Generator"))
# What a forked worker shares with all others: one position for reading.
HANDLES = frozenset(("io.TextIOWrapper", "h5py.File", "zipfile.ZipFile", "tarfile.TarFile"))


def worker_faults(given: Given) -> tuple[Broken, ...]:
    return _unsized(given) + _copied_in_workers(given) + _unpicklable(given)


def _unsized(given: Given) -> tuple[Broken, ...]:
    """The default samplers ask a map-style dataset for its length."""
    source = given.obj("dataset")
    own = any(given.get(name, NONE) != NONE for name in ("sampler", "batch_sampler"))
    if source is None or own or source.marks.get("sized") is not FAILS:
        return ()
    return (Broken("length", "dataset", wanted="__len__"),)


def _workers(given: Given) -> bool:
    count = given.get("num_workers", NONE)
    return isinstance(count, Num) and count.dim.number is not None and count.dim.number > 0


def _copied_in_workers(given: Given) -> tuple[Broken, ...]:
    source = given.obj("dataset")
    if source is None or "::" not in source.cls or not _workers(given):
        return ()
    broken: tuple[Broken, ...] = ()
    for name, value in source.attrs.items():
        held = given.heap.get(value.to) if isinstance(value, Pointer) else None
        if held is None:
            continue
        if held.cls in GENERATORS and given.get("worker_init_fn", NONE) == NONE:
            broken += (Broken("copied-generator", "dataset", name, because=value),)
        elif held.cls in HANDLES:
            broken += (Broken("shared-handle", "dataset", name, because=value),)
    return broken


def _unpicklable(given: Given) -> tuple[Broken, ...]:
    """Started afresh, a worker gets everything pickled; a lambda or a function made inside another cannot
    be.
    """
    if given.const("multiprocessing_context", None) not in ("spawn", "forkserver") or not _workers(given):
        return ()
    broken: tuple[Broken, ...] = ()
    for name in ("collate_fn", "worker_init_fn"):
        func = given.get(name, NONE)
        if isinstance(func, Func) and local(func):
            broken += (
                Broken("pickle", name, got="a lambda" if "<lambda>" in func.scope else "a local function"),
            )
    source = given.obj("dataset")
    for name, value in source.attrs.items() if source is not None else ():
        if isinstance(value, Func) and local(value):
            broken += (
                Broken(
                    "pickle",
                    "dataset",
                    name,
                    got="a lambda" if "<lambda>" in value.scope else "a local function",
                ),
            )
    return broken


def local(func: Func) -> bool:
    name = func.scope.partition("::")[2]
    return "<lambda>" in name or ("." in name and func.owner is None and func.bound is None)


def shuffles(loader: Obj | None) -> bool:
    """Whether a loader certainly gives its examples in another order each time."""
    return loader is not None and loader.attrs.get("shuffle") == Const(True)
