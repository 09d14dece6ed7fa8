"""Datasets, samplers and loaders: what iterating them gives, with the size of a batch as its first axis.

A batch of tuples is collated field by field into a list. The last batch is as large as the others where
`drop_last` is set or the number of examples is divided; otherwise its size is a symbol.
"""

from __future__ import annotations

from collections.abc import Callable

from torchwise.domain.dim import Dim
from torchwise.domain.effects import SetMark
from torchwise.domain.nature import PER_CLASS, word_of
from torchwise.domain.shape import differ
from torchwise.domain.value import (
    ANY,
    LENGTH,
    NONE,
    Const,
    Items,
    Many,
    Num,
    Obj,
    Pointer,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import FAILS
from torchwise.ops.batch_lengths import uneven_length
from torchwise.ops.collate import collated
from torchwise.ops.data_workers import worker_faults
from torchwise.ops.iterables import asked, count_of, covering, elements
from torchwise.ops.layers import initialises, part, signature
from torchwise.ops.spec import OPS, Broken, Given, Made, Outcome, Returns, op

DATA = "torch.utils.data."
PAGE = "data.html"
DATASET = DATA + "Dataset"


def dataset(
    name: str,
    arguments: str,
    more: Callable[[Given], tuple[Broken, ...]] | None = None,
    base: str = DATASET,
) -> None:
    """A class whose instances keep their arguments."""
    path = DATA + name
    names, defaults = signature(arguments)

    def construct(given: Given) -> Outcome:
        attrs = {n.lstrip("*"): given.get(n.lstrip("*"), defaults.get(n, ANY)) for n in names}
        return Outcome(Made(Obj(path, attrs, bases=(base,))), more(given) if more else ())

    params = " ".join(a.partition("=")[0] for a in arguments.split())
    home = "sampler" if "Sampler" in name else "dataset" if name != "DataLoader" else "dataloader"
    op(
        path,
        f"{DATA}{home}.{name}",
        params=params,
        returns=construct,
        grad="cut",
        tags="pure data",
        source=PAGE,
    )
    initialises(path, params, construct, PAGE)


def method(cls: str, name: str, params: str, returns: Returns) -> None:
    op(f"{DATA}{cls}.{name}", params=f"self {params}", returns=returns, grad="cut", tags="pure", source=PAGE)


# TensorDataset: rows of tensors of one length


def _tensors(given: Given) -> tuple[Value, ...] | None:
    return given.list("tensors") or (None if "tensors" not in given else (given["tensors"],))


def _unequal(given: Given) -> tuple[Broken, ...]:
    first: Tensor | None = None
    for tensor in _tensors(given) or ():
        if not isinstance(tensor, Tensor) or not tensor.shape:
            continue
        if first is None:
            first = tensor
        elif first.shape and differ(tensor.shape[0], first.shape[0]):
            words = f"the tensors have {first.shape[0]} and {tensor.shape[0]} rows: each row is one example"
            return (Broken("axis", "tensors", message=words),)
    return ()


dataset("TensorDataset", "*tensors", _unequal)


def _rows(given: Given) -> tuple[Value, ...] | None:
    obj = given.obj()
    held = obj.attrs.get("tensors", ANY) if obj is not None else ANY
    return held.items if isinstance(held, Items) else (held,) if isinstance(held, Tensor) else None


def row_of(tensor: Value) -> Value:
    """One example: the tensor without its first axis."""
    if not isinstance(tensor, Tensor) or not tensor.shape:
        return Tensor() if isinstance(tensor, Tensor) else ANY
    strides = tensor.strides[1:] if tensor.strides is not None else None
    return Tensor(tensor.shape[1:], strides, tensor.dtype, tensor.device)


def _is_place(index: Value) -> bool:
    return isinstance(index, Num) or (isinstance(index, Some) and index.kind == "int")


def _tensor_item(given: Given) -> Value:
    """The same place of each: one example at a number, several at a slice, a list or a tensor."""
    rows = _rows(given)
    if rows is None:
        return ANY
    if _is_place(given["index"]):
        return Items(tuple(map(row_of, rows)))
    get = OPS["operator.getitem"]
    found = [asked(given, get.name, get.returns, {"self": t, "index": given["index"]}) for t in rows]
    return Items(tuple(v if isinstance(v, Tensor) else ANY for v in found))


def _tensor_length(given: Given) -> Value:
    rows = _rows(given)
    first = rows[0] if rows else ANY
    return Num(first.shape[0]) if isinstance(first, Tensor) and first.shape else Some("int")


method("TensorDataset", "__getitem__", "index", _tensor_item)
method("TensorDataset", "__len__", "", _tensor_length)


# Datasets made of others

dataset("Dataset", "")
dataset("IterableDataset", "")
dataset("Subset", "dataset indices")
dataset("ConcatDataset", "datasets")
dataset("ChainDataset", "datasets")
dataset("StackDataset", "*args")


def of_object(given: Given, value: Value, method_name: str, **values: Value) -> Value | None:
    """What a method that has a row gives; None where the object's class has none."""
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    for cls in (obj.cls, *obj.bases) if obj is not None else ():
        row = OPS.get(f"{cls}.{method_name}")
        if row is not None:
            found = asked(given, row.name, row.returns, {"self": value, **values})
            return found if isinstance(found, Value) else None
    return None


def example(given: Given, value: Value) -> Value:
    """Any element of a dataset."""
    found = of_object(given, value, "__getitem__", index=Some("int"))
    if found is not None:
        return found
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    if obj is not None and obj.cls == "list":
        return covering(elements(given, value))
    return row_of(value) if isinstance(value, Tensor) else ANY


def count(given: Given, value: Value) -> Dim | None:
    """How many elements a dataset has."""
    found = of_object(given, value, "__len__")
    if isinstance(found, Num):
        return found.dim
    obj = given.heap.get(value.to) if isinstance(value, Pointer) else None
    own = obj.marks.get(LENGTH) if obj is not None else None
    return own.dim if isinstance(own, Num) else count_of(given, value)


def _subset_length(given: Given) -> Value:
    obj = given.obj()
    length = None if obj is None else obj.marks.get(LENGTH)
    if isinstance(length, Num):
        return length
    found = elements(given, given.attr("indices"))
    return Some("int") if isinstance(found, Many) else Num(Dim.of(len(found)))


def _concatenated(given: Given) -> Value:
    found = elements(given, given.attr("datasets"))
    return ANY if isinstance(found, Many) else covering(tuple(example(given, d) for d in found))


def _subset_item(given: Given) -> Value:
    return example(given, given.attr("dataset")) if _is_place(given["index"]) else ANY


method("Subset", "__getitem__", "index", _subset_item)
method("Subset", "__len__", "", _subset_length)
method("ConcatDataset", "__getitem__", "index", _concatenated)


def _split(given: Given) -> Value:
    """Subsets of one dataset, as many as lengths were given."""
    found = elements(given, given["lengths"])
    if isinstance(found, Many):
        return Many(ANY, "list")
    return Items(tuple(_share(given["dataset"], length) for length in found), "list")


def _share(whole: Value, length: Value) -> Value:
    """A random subset; `length` is how many it has, where a number and no fraction was asked for."""
    attrs: dict[str, Value] = {"dataset": whole, "indices": ANY}
    return part(Obj(DATA + "Subset", attrs, marks={LENGTH: length}, bases=(DATASET,)))


op(
    DATA + "random_split",
    DATA + "dataset.random_split",
    params="dataset lengths generator",
    returns=_split,
    grad="cut",
    tags="pure random",
    source=PAGE,
)

# Samplers

SAMPLER = DATA + "Sampler"
for _name, _arguments in (
    ("SequentialSampler", "data_source"),
    ("RandomSampler", "data_source replacement=False num_samples=None generator=None"),
    ("SubsetRandomSampler", "indices generator=None"),
    ("WeightedRandomSampler", "weights num_samples replacement=True generator=None"),
    ("BatchSampler", "sampler batch_size drop_last"),
    ("Sampler", ""),
):
    dataset(_name, _arguments, base=SAMPLER)
op(
    DATA + "distributed.DistributedSampler",
    DATA + "DistributedSampler",
    params="dataset num_replicas rank shuffle seed drop_last",
    returns=lambda given: Made(
        Obj(DATA + "distributed.DistributedSampler", dict(given.values), bases=(SAMPLER,))
    ),
    grad="cut",
    tags="pure data",
    source=PAGE,
)
op(
    DATA + "distributed.DistributedSampler.set_epoch",
    params="self epoch",
    returns=lambda given: Outcome(NONE, (), (SetMark(given["self"], "stale", FAILS),)),
    grad="cut",
    tags="pure",
    source=PAGE,
)


# Loaders

OPTIONS = (
    "dataset batch_size=1 shuffle=None sampler=None batch_sampler=None num_workers=0 collate_fn=None "
    "pin_memory=False "
    "drop_last=False timeout=0 worker_init_fn=None multiprocessing_context=None generator=None "
    "prefetch_factor=None "
    "persistent_workers=False pin_memory_device='' in_order=True"
)


def _loader_faults(given: Given) -> tuple[Broken, ...]:
    """Options that exclude each other."""
    shuffled, sampler, batches = (
        given.const("shuffle", None),
        given.get("sampler", NONE),
        given.get("batch_sampler", NONE),
    )
    workers = given.const("num_workers", 0)
    broken: tuple[Broken, ...] = ()
    if shuffled is True and isinstance(sampler, Pointer):
        broken += (Broken("option", "shuffle", "sampler"),)
    if isinstance(batches, Pointer):
        for name, default in (("batch_size", 1), ("shuffle", None), ("sampler", None), ("drop_last", False)):
            value = given.const(name, default)
            if value is not ... and value != default and not (name == "shuffle" and not value):
                broken += (Broken("option", name, "batch_sampler"),)
    if workers == 0:
        if given.const("persistent_workers", False) is True:
            broken += (Broken("option", "persistent_workers", "num_workers"),)
        if given.get("prefetch_factor", NONE) != NONE and isinstance(given["prefetch_factor"], Num):
            broken += (Broken("option", "prefetch_factor", "num_workers"),)
    elif isinstance(workers, int) and workers < 0:
        broken += (Broken("argument", "num_workers", wanted="at least 0", got=workers),)
    broken += _too_few_weights(given)
    source = given.obj("dataset")
    if source is not None and DATA + "IterableDataset" in source.bases and shuffled is True:
        broken += (Broken("option", "shuffle", "an IterableDataset"),)
    return broken + worker_faults(given)


def _too_few_weights(given: Given) -> tuple[Broken, ...]:
    """A WeightedRandomSampler draws places among its weights: one is needed for each example."""
    sampler = given.obj("sampler")
    if sampler is None or sampler.cls != DATA + "WeightedRandomSampler":
        return ()
    held = sampler.attrs.get("weights", ANY)
    if isinstance(held, Tensor) and word_of(held.nature) == PER_CLASS:
        return (Broken("weights", "sampler", wanted="example", got="class", because=held),)
    weights, total = count(given, held), count(given, given["dataset"])
    if weights is not None and total is not None and weights.less_than(total).holds:
        return (Broken("weights", "sampler", wanted=total, got=weights),)
    return ()


dataset("DataLoader", OPTIONS, _loader_faults, base="object")


def batch_size(given: Given, obj: Obj) -> Dim | None:
    """The size of every batch, where it is one number; None where examples are not batched."""
    if obj.attrs.get("batch_size") == NONE and obj.attrs.get("batch_sampler", NONE) == NONE:
        return None
    size = obj.attrs.get("batch_size")
    if not isinstance(size, Num) or obj.attrs.get("batch_sampler", NONE) != NONE:
        return given.fresh("batch")
    plain = obj.attrs.get("sampler", NONE) == NONE
    total = count(given, obj.attrs.get("dataset", ANY)) if plain else None
    if obj.attrs.get("drop_last") == Const(True) or (total is not None and size.dim.divides(total).holds):
        return size.dim
    if total is None or obj.attrs.get("drop_last") != Const(False):
        return given.fresh("batch")
    return uneven_length(given, total, size.dim)


def _batches(given: Given) -> Value:
    obj = given.obj()
    if obj is None or obj.attrs.get("collate_fn", ANY) != NONE:
        own = obj.marks.get("batch") if obj is not None else None
        return Many(own if isinstance(own, Value) else ANY)
    known = obj.marks.get("batch")  # of a dataset of the project
    if isinstance(known, Value):
        return Many(known)
    size = batch_size(given, obj)
    one = example(given, obj.attrs.get("dataset", ANY))
    if size is None:
        return Many(Items(one.items, "list") if isinstance(one, Items) else one)
    return Many(collated(given, one, size))


def _loader_length(given: Given) -> Value:
    obj = given.obj()
    size = None if obj is None else obj.attrs.get("batch_size")
    if obj is None or not isinstance(size, Num) or obj.attrs.get("sampler", NONE) != NONE:
        return Some("int")
    total = count(given, obj.attrs.get("dataset", ANY))
    if total is None or obj.attrs.get("batch_sampler", NONE) != NONE or size.dim.number == 0:
        return Some("int")
    if obj.attrs.get("drop_last") == Const(True):
        return Num(total // size.dim)
    return (
        Num((total + size.dim - 1) // size.dim) if obj.attrs.get("drop_last") == Const(False) else Some("int")
    )


method("DataLoader", "__iter__", "", _batches)
method("DataLoader", "__len__", "", _loader_length)
for _name, _params in (("default_collate", "batch"), ("default_convert", "data")):
    op(DATA + _name, DATA + f"_utils.collate.{_name}", params=_params, grad="cut", tags="pure", source=PAGE)
op(DATA + "get_worker_info", params="", grad="cut", tags="pure", source=PAGE)
