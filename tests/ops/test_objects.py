"""Containers, loaders, optimizers, scalers and regions against torch's own."""

from __future__ import annotations

import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader, TensorDataset

from tests.ops.judged_layers import agree, as_value, stored, tried
from torchwise.domain.dim import Dim
from torchwise.domain.effects import EnterRegion, SetAttrOf, SetItems, SetMark
from torchwise.domain.value import Const, Items, Many, Num, Obj, Pointer, Region, Site, Slice, Tensor, Value
from torchwise.ops import OPS, Given, Made, Outcome

LIGHT = settings(max_examples=25, derandomize=True, deadline=None, database=None)
ME = Site("test", 1)


def asked(path: str, heap: dict[Site, Obj] | None = None, **values: Value) -> Outcome:
    answer = OPS[path].returns(Given(values, heap or {}, site=Site("test", 9)))
    return answer if isinstance(answer, Outcome) else Outcome(answer)


def carried_out(outcome: Outcome, heap: dict[Site, Obj]) -> None:
    for effect in outcome.effects:
        match effect:
            case SetItems(Pointer(to), items, each):
                heap[to] = heap[to].with_items(items, each)
            case SetMark(Pointer(to), name, value):
                heap[to] = heap[to].with_mark(name, value)
            case SetAttrOf(Pointer(to), name, held):
                heap[to] = heap[to].with_attr(name, held)


# Containers

LAYERS = [torch.nn.Linear(n, n) for n in range(1, 6)]
POINTERS = [Pointer(Site("layer", n)) for n in range(5)]
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 4)),
        st.tuples(st.just("extend"), st.lists(st.integers(0, 4), max_size=2)),
        st.tuples(st.just("insert"), st.integers(0, 2), st.integers(0, 4)),
        st.tuples(st.just("index"), st.integers(-3, 3)),
        st.tuples(st.just("slice"), st.integers(-2, 2), st.integers(-2, 3)),
    ),
    max_size=6,
)


@given(moves=MOVES)
@LIGHT
def test_a_module_list_holds_what_torch_puts_in_it(moves: list) -> None:
    real, path = torch.nn.ModuleList(), "torch.nn.ModuleList"
    heap: dict[Site, Obj] = {p.to: Obj("torch.nn.Linear", bases=("torch.nn.Module",)) for p in POINTERS}
    heap[ME] = asked(path).result.obj  # type: ignore[union-attr]
    for name, *args in moves:
        if name == "index":
            raised, found = tried(lambda: real[args[0]])  # noqa: B023
            outcome = asked(f"{path}.__getitem__", heap, self=Pointer(ME), index=Num(Dim.of(args[0])))
            assert bool(outcome.broken) == (raised is not None)
            assert raised is not None or outcome.result == POINTERS[LAYERS.index(found)]  # type: ignore[arg-type]
            continue
        if name == "slice":
            bounds = Slice(*(Num(Dim.of(a)) for a in args), Const(None))
            found = asked(f"{path}.__getitem__", heap, self=Pointer(ME), index=bounds).result
            assert isinstance(found, Made)
            assert found.obj.items == tuple(POINTERS[LAYERS.index(m)] for m in real[args[0] : args[1]])  # type: ignore[arg-type]
            continue
        if name == "insert" and args[0] > len(real):
            continue
        last = [LAYERS[i] for i in args[-1]] if name == "extend" else LAYERS[args[-1]]
        getattr(real, name)(*args[:-1], last)
        value = Items(tuple(POINTERS[i] for i in args[-1])) if name == "extend" else POINTERS[args[-1]]
        params = OPS[f"{path}.{name}"].params[1:]
        values = dict(zip(params, (*map(as_value, args[:-1]), value)))
        carried_out(asked(f"{path}.{name}", heap, self=Pointer(ME), **values), heap)
        assert heap[ME].items == tuple(POINTERS[LAYERS.index(m)] for m in real)  # type: ignore[arg-type]
    assert asked(f"{path}.__len__", heap, self=Pointer(ME)).result == Num(Dim.of(len(real)))


def test_a_deep_copy_has_tensors_of_its_own() -> None:
    heap: dict[Site, Obj] = {}
    attention = asked(
        "torch.nn.MultiheadAttention", embed_dim=Num(Dim.of(4)), num_heads=Num(Dim.of(2))
    ).result
    assert isinstance(attention, Made)
    original = stored(attention.obj, ME, heap)
    copy = asked("copy.deepcopy", heap, x=original).result
    assert isinstance(copy, Made)
    inner = copy.obj.attrs["out_proj"]
    assert isinstance(inner, Made) and isinstance(inner.obj.attrs["weight"], Tensor)  # type: ignore[unreachable]
    assert inner.obj.attrs["weight"].id is None and inner.obj.attrs["weight"].shape == (Dim.of(4), Dim.of(4))


# Loading


@given(
    rows=st.integers(1, 7),
    size=st.one_of(st.none(), st.integers(1, 4)),
    drop_last=st.booleans(),
    trailing=st.lists(st.lists(st.integers(1, 3), max_size=2), min_size=1, max_size=3),
)
@LIGHT
def test_a_loader_gives_batches_of_the_size_it_says(
    rows: int, size: int | None, drop_last: bool, trailing: list
) -> None:
    tensors = [torch.zeros(rows, *shape) for shape in trailing]
    kwargs = {"batch_size": size, **({"drop_last": drop_last} if size is not None else {})}
    loader = DataLoader(TensorDataset(*tensors), **kwargs)  # type: ignore[arg-type]
    heap: dict[Site, Obj] = {}
    dataset = asked("torch.utils.data.TensorDataset", tensors=Items(tuple(map(as_value, tensors)))).result
    whole = stored(dataset.obj, ME, heap)  # type: ignore[union-attr]
    made = asked(
        "torch.utils.data.DataLoader", heap, dataset=whole, **{k: as_value(v) for k, v in kwargs.items()}
    ).result
    me = stored(made.obj, Site("test", 2), heap)  # type: ignore[union-attr]
    each = asked("torch.utils.data.DataLoader.__iter__", heap, self=me).result
    assert isinstance(each, Many)
    for batch in loader:
        agree(batch, each.each, f"{rows} {kwargs} {trailing}")
        assert isinstance(batch, list) == (isinstance(each.each, Items) and each.each.kind == "list")
    assert (
        asked("torch.utils.data.DataLoader.__len__", heap, self=me).result == Num(Dim.of(len(loader)))
        or size is None
    )


OPTIONS = [
    {"shuffle": True, "sampler": "sampler"},
    {"shuffle": True},
    {"num_workers": 0, "persistent_workers": True},
    {"num_workers": 0, "prefetch_factor": 2},
    {"batch_sampler": "batches", "batch_size": 4},
    {"batch_sampler": "batches", "shuffle": True},
    {"batch_sampler": "batches", "drop_last": True},
    {"batch_sampler": "batches"},
    {"num_workers": -1},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_options_of_a_loader_exclude_each_other_as_in_torch(options: dict) -> None:
    data = TensorDataset(torch.zeros(8, 2))
    sampler = torch.utils.data.SequentialSampler(data)
    real = {"sampler": sampler, "batches": torch.utils.data.BatchSampler(sampler, 2, False)}
    raised, _ = tried(lambda: DataLoader(data, **{k: real.get(v, v) for k, v in options.items()}))  # type: ignore[arg-type]
    heap = {ME: Obj("torch.utils.data.Sampler")}
    values = {k: Pointer(ME) if v in real else as_value(v) for k, v in options.items()}
    outcome = asked("torch.utils.data.DataLoader", heap, dataset=Pointer(Site("data", 1)), **values)
    assert bool(outcome.broken) == (raised is not None), raised


# Optimizers and scaling

WEIGHT = torch.nn.Parameter(torch.zeros(2))
REFUSED: list[tuple[object, dict[str, Value]]] = [
    (lambda: torch.optim.SGD(WEIGHT), {"params": as_value(WEIGHT)}),
    (lambda: torch.optim.SGD([]), {"params": Items(())}),
    (lambda: torch.optim.SGD([WEIGHT], lr=-1.0), {"params": Items((as_value(WEIGHT),)), "lr": Const(-1.0)}),
    (
        lambda: torch.optim.Adam([WEIGHT], weight_decay=-1.0),
        {"params": Items((as_value(WEIGHT),)), "weight_decay": Const(-1.0)},
    ),
    (lambda: torch.optim.SGD([WEIGHT], lr=0.1), {"params": Items((as_value(WEIGHT),)), "lr": Const(0.1)}),
]


@pytest.mark.parametrize("build, values", REFUSED)
def test_an_optimizer_refuses_what_torch_refuses(build: object, values: dict) -> None:
    raised, _ = tried(build)  # type: ignore[arg-type]
    assert bool(asked("torch.optim.SGD", **values).broken) == (raised is not None)


@given(moves=st.lists(st.sampled_from(("scale", "unscale_", "step", "update")), max_size=7), on=st.booleans())
@LIGHT
def test_a_scaler_refuses_what_torch_refuses(moves: list[str], on: bool) -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer, scaler = torch.optim.SGD([weight], lr=0.1), torch.amp.GradScaler("cpu", enabled=on)
    heap: dict[Site, Obj] = {}
    me = stored(asked("torch.amp.GradScaler", enabled=Const(on)).result.obj, ME, heap)  # type: ignore[union-attr]
    for name in moves:
        optimizer_value = {"optimizer": Pointer(Site("optimizer", 1))} if name in ("unscale_", "step") else {}
        outcome = asked(f"torch.amp.GradScaler.{name}", heap, self=me, **optimizer_value)
        raised = _moved(scaler, optimizer, weight, name)
        assert bool(outcome.broken) == (raised is not None), f"{moves} {name} {raised}"
        if raised is not None:
            return
        carried_out(outcome, heap)


def _moved(
    scaler: torch.amp.GradScaler, optimizer: torch.optim.Optimizer, weight: torch.Tensor, name: str
) -> Exception | None:
    if name == "scale":
        scaler.scale((weight * 2).sum()).backward()
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tried(lambda: getattr(scaler, name)(*((optimizer,) if name != "update" else ())))[0]


# Regions


@pytest.mark.parametrize(
    "path, args, enabled",
    [
        ("torch.no_grad", {}, False),
        ("torch.enable_grad", {}, True),
        ("torch.inference_mode", {}, False),
        ("torch.inference_mode", {"mode": False}, True),
        ("torch.set_grad_enabled", {"mode": False}, False),
        ("torch.set_grad_enabled", {"mode": True}, True),
    ],
)
def test_grad_modes_are_those_of_torch(path: str, args: dict, enabled: bool) -> None:
    with getattr(torch, path.rpartition(".")[2])(**args):
        assert torch.is_grad_enabled() is enabled
    made = asked(path, **{k: as_value(v) for k, v in args.items()}).result
    assert isinstance(made, Made)
    region = made.obj.marks["region"]
    assert isinstance(region, Region) and (region.kind, region.mode == "on") == ("grad", enabled)


@pytest.mark.parametrize(
    "args, dtype",
    [
        ({"device_type": "cpu"}, "bfloat16"),
        ({"device_type": "cpu", "dtype": torch.float16}, "float16"),
        ({"device_type": "cpu", "enabled": False}, "off"),
    ],
)
def test_autocast_computes_in_the_dtype_of_torch(args: dict, dtype: str) -> None:
    with torch.autocast(**args):
        out = torch.nn.functional.linear(torch.ones(2, 2), torch.ones(2, 2)).dtype
    assert str(out) == f"torch.{dtype}" if dtype != "off" else out is torch.float32
    made = asked("torch.autocast", **{k: as_value(v) for k, v in args.items()}).result
    assert isinstance(made, Made) and made.obj.marks["region"] == Region("autocast", dtype)


def test_a_default_dtype_is_ambient_from_then_on() -> None:
    outcome = asked("torch.set_default_dtype", d=as_value(torch.float64))
    assert outcome.effects == (EnterRegion(Region("dtype", "float64")),)
    within = Given(
        {"in_features": Num(Dim.of(2)), "out_features": Num(Dim.of(2))}, {}, defaults={"dtype": "float64"}
    )
    made = OPS["torch.nn.Linear"].returns(within)
    assert isinstance(made, Outcome) and made.result.obj.attrs["weight"].dtype == "float64"  # type: ignore[union-attr]
