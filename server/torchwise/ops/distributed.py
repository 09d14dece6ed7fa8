"""Distributed training as far as one process sees it: wrappers keep their module, collectives are calls
with a tag."""

from __future__ import annotations

from torchwise.domain.effects import EnterRegion, Invoke, ReplaceTensors, SetMark, Write
from torchwise.domain.value import ANY, NONE, Items, Num, Obj, Pointer, Region, Some, Tensor, Value
from torchwise.domain.verdict import HOLDS
from torchwise.ops.layers import MODULE
from torchwise.ops.layers_parameters import replaces
from torchwise.ops.module_tree import devices_of, modules_of
from torchwise.ops.seeding import seeds
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

WRAPPERS = {
    "torch.nn.parallel.DistributedDataParallel": "module device_ids output_device dim broadcast_buffers "
    "init_sync process_group "
    "bucket_cap_mb find_unused_parameters check_reduction gradient_as_bucket_view static_graph",
    "torch.nn.DataParallel": "module device_ids output_device dim",
    "torch.distributed.fsdp.FullyShardedDataParallel": "module process_group sharding_strategy "
    "cpu_offload auto_wrap_policy",
}
ALSO = {
    "torch.nn.parallel.DistributedDataParallel": ("torch.nn.parallel.distributed.DistributedDataParallel",),
    "torch.nn.DataParallel": ("torch.nn.parallel.DataParallel",),
    "torch.distributed.fsdp.FullyShardedDataParallel": (),
}


def _wrapper(path: str) -> Returns:
    """The module is kept as `module`; nothing else of it shows through."""

    def returns(given: Given) -> Outcome:
        inner = given.obj("module")
        training = inner.marks.get("training", HOLDS) if inner is not None else HOLDS
        marks = {"training": training, **({} if isinstance(given["module"], Pointer) else {"opaque": True})}
        if all(given.const(name, False) is False for name in LENIENT):
            marks["reduces-all"] = HOLDS
        made = Made(Obj(path, {"module": given["module"]}, marks=marks, bases=(MODULE,)))
        if not path.endswith("DistributedDataParallel"):
            return Outcome(made)
        return Outcome(made, _device_faults(given), (SetMark(given["module"], "wrapped", HOLDS),))

    return returns


LENIENT = ("find_unused_parameters", "static_graph", "skip_all_reduce_unused_params")


def _device_faults(given: Given) -> tuple[Broken, ...]:
    """`device_ids` is for a module that lives on one GPU, and so is SyncBatchNorm."""
    module = given["module"]
    if devices_of(given, module) != frozenset({"cpu"}):
        return ()
    found = [given.heap[m.to] for m in modules_of(given, module) or ()]
    synchronised = any(obj.cls == SYNCHRONISED or obj.marks.get("synchronised") is HOLDS for obj in found)
    faults = (
        (
            bool(given.list("device_ids")),
            Broken("device-ids", "device_ids", wanted="None", got="cpu", because=module),
        ),
        (synchronised, Broken("sync-batchnorm", "module", wanted="cuda", got="cpu", because=module)),
    )
    return tuple(broken for there, broken in faults if there)


SYNCHRONISED = "torch.nn.SyncBatchNorm"


def _synchronised(given: Given) -> Outcome:
    """In place: each BatchNorm inside is one that averages between processes from here on."""
    inner = modules_of(given, given["module"]) or ()
    norms = [m for m in inner if given.heap[m.to].cls.startswith("torch.nn.BatchNorm")]
    return Outcome(given["module"], (), tuple(SetMark(m, "synchronised", HOLDS) for m in norms))


def _called(given: Given) -> Outcome:
    """A call of the wrapper is a call of its module."""
    args = given.get("args", Items(()))
    values = args.items if isinstance(args, Items) else (args,)
    module = given.attr("module")
    if not isinstance(module, Pointer):
        return Outcome(ANY)
    named = tuple((name, value) for name, value in given.values.items() if name not in ("self", "args"))
    return Outcome(ANY, (), (Invoke(module, values, named=named),))


for _path, _params in WRAPPERS.items():
    _page = f"generated/{_path}.html"
    op(
        _path,
        *ALSO[_path],
        params=_params,
        returns=_wrapper(_path),
        grad="cut",
        tags="pure wrapper",
        source=_page,
    )
    op(
        f"{_path}.__call__",
        f"{_path}.forward",
        name="forward",
        params="self *args",
        returns=_called,
        source=_page,
    )
for _path in ("torch.nn.parallel.DistributedDataParallel", "torch.distributed.fsdp.FullyShardedDataParallel"):
    op(
        f"{_path}.no_sync",
        params="self",
        grad="cut",
        tags="pure",
        source=f"generated/{_path}.html",
        returns=lambda given: Made(Obj("no_sync", marks={"region": Region("no-sync", "", given.site)})),
    )


def _sharded(given: Given) -> Outcome:
    """The blocks first, then what holds them: a block inside something sharded already belongs to that."""
    obj = given.obj("module")
    broken = replaces(given).broken
    if obj is not None and obj.marks.get("sharded") is HOLDS:
        at = obj.marks.get("sharded@")
        broken += (Broken("sharded", "module", because=at if isinstance(at, Pointer) else None),)
    moved = ReplaceTensors(given["module"], device="?")  # to the device of the mesh
    return Outcome(given["module"], broken, (SetMark(given["module"], "sharded", HOLDS, deep=True), moved))


op(
    "torch.distributed.fsdp.fully_shard",
    "torch.distributed._composable.fsdp.fully_shard",
    params="module mesh reshard_after_forward",
    returns=_sharded,
    grad="cut",
    tags="pure",
    source="distributed.fsdp.fully_shard.html",
)
op(
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
    params="module process_group",
    returns=_synchronised,
    grad="cut",
    tags="pure",
    source="generated/torch.nn.SyncBatchNorm.html",
)

DIST = "torch.distributed."


def _row(name: str, params: str, returns: Returns = lambda given: NONE, tags: str = "pure") -> None:
    op(DIST + name, params=params, returns=returns, grad="cut", tags=tags, source="distributed.html")


def _written(param: str) -> Returns:
    """A collective that changes its tensor in place."""

    def returns(given: Given) -> Outcome:
        value = given[param]
        return Outcome(ANY, (), (Write(value),) if isinstance(value, Tensor) else ())

    return returns


for _name, _params, _param in (
    ("all_reduce", "tensor op group async_op", "tensor"),
    ("broadcast", "tensor src group async_op", "tensor"),
    ("reduce", "tensor dst op group async_op", "tensor"),
    ("all_gather_into_tensor", "output_tensor input_tensor group async_op", "output_tensor"),
    ("reduce_scatter_tensor", "output input op group async_op", "output"),
    ("all_gather_single", "output_tensor input_tensor group async_op", "output_tensor"),
    ("reduce_scatter_single", "output input op group async_op", "output"),
    ("all_to_all_single", "output input output_split_sizes input_split_sizes group async_op", "output"),
    ("scatter", "tensor scatter_list src group async_op", "tensor"),
):
    _row(_name, _params, _written(_param), "pure collective")
for _name, _params in (
    ("all_gather", "tensor_list tensor group async_op"),
    ("gather", "tensor gather_list dst group async_op"),
    ("all_to_all", "output_tensor_list input_tensor_list group async_op"),
    ("barrier", "group async_op device_ids"),
    ("all_gather_object", "object_list obj group"),
    ("broadcast_object_list", "object_list src group device"),
    ("new_group", "ranks timeout backend pg_options"),
    ("monitored_barrier", "group timeout"),
):
    _row(_name, _params, lambda given: ANY, "pure collective")
for _name, _params in (  # all processes of the group meet in it, and what is loaded is written over
    (
        "checkpoint.save",
        "state_dict checkpoint_id storage_writer planner process_group no_dist use_collectives",
    ),
    ("checkpoint.load", "state_dict checkpoint_id storage_reader planner process_group no_dist"),
):
    _row(_name, _params, lambda given: ANY, "collective")


def _begun(given: Given) -> Outcome:
    """From here on several processes run the same code, unless it is one that runs alone."""
    alone = given.const("world_size", None) == 1
    region = Region("ranks", "one" if alone else "", given.site)
    return Outcome(NONE, (), (EnterRegion(region),))


_row("init_process_group", "backend init_method timeout world_size rank store group_name", _begun)
for _name, _params in (
    ("destroy_process_group", "group"),
    ("send", "tensor dst group tag"),
    ("recv", "tensor src group tag"),
    ("isend", "tensor dst group tag"),
    ("irecv", "tensor src group tag"),
):
    _row(_name, _params, lambda given: ANY)
for _name in ("get_rank", "get_world_size", "get_node_local_rank"):
    _row(_name, "group", lambda given: Num(given.fresh("rank")))
for _name in (
    "is_available",
    "is_initialized",
    "is_torchelastic_launched",
    "is_nccl_available",
    "is_gloo_available",
):
    _row(_name, "", lambda given: Some("bool"))
op(
    "torch.multiprocessing.spawn",
    params="fn args nprocs join daemon",
    source="multiprocessing.html",
    grad="cut",
)


# Seeds, saving, devices: calls that neither read nor change the shape of anything


def _free(path: str, params: str = "*args", returns: Returns = lambda given: ANY, tags: str = "pure") -> None:
    op(path, params=params, returns=returns, grad="cut", tags=tags, source=f"generated/{path}.html")


def _generator(given: Given) -> Made:
    return Made(Obj("torch.Generator"))


def _same(given: Given) -> Value:
    return given["self"]


SEEDS = (
    "torch.manual_seed torch.random.manual_seed torch.cuda.manual_seed torch.cuda.manual_seed_all torch.seed "
    "torch.random.seed torch.mps.manual_seed"
)
for _path in SEEDS.split():
    _free(_path, "seed", seeds("torch"), tags="pure seed")
_free("torch.initial_seed", "", lambda given: Some("int"))
_free("torch.Generator", "device", _generator)
_free("torch.Generator.manual_seed", "self seed", _same, "pure seed")
_free("torch.Generator.seed", "self", lambda given: Some("int"), "pure seed")
for _name in ("get_rng_state", "set_rng_state"):
    for _package in ("torch", "torch.cuda", "torch.random"):
        _free(f"{_package}.{_name}")


def _saved(given: Given) -> Outcome:
    """A state dict of a pruned module has other keys than one of the module as it was made."""
    obj = given.obj("obj")
    inner = [obj] if obj is not None and "state_of" in obj.marks else []
    inner += [
        o
        for v in (obj.items or () if obj is not None else ())
        if isinstance(v, Pointer) and (o := given.heap.get(v.to)) is not None
    ]
    for state in inner:
        pruned = _marked(given, state.marks.get("state_of"), "pruned")
        if pruned is not None:
            return Outcome(NONE, (Broken("pruned", "obj", because=pruned),))
    return Outcome(NONE)


def _marked(given: Given, root: object, mark: str) -> Value | None:
    """Where a module inside got a mark that it still has."""
    queue, seen = [root], set()
    while queue:
        value = queue.pop()
        obj = given.heap.get(value.to) if isinstance(value, Pointer) and value not in seen else None
        if obj is None:
            continue
        seen.add(value)
        if obj.marks.get(mark) is HOLDS:
            at = obj.marks.get(f"{mark}@")
            return at if isinstance(at, Pointer) else None
        queue += [*obj.attrs.values(), *(obj.items or ())]
    return None


_free("torch.save", "obj f pickle_module pickle_protocol", _saved, "pure save")
_free("torch.load", "f map_location pickle_module weights_only mmap", tags="pure load")
for _name in ("is_available", "is_initialized", "is_bf16_supported", "is_current_stream_capturing"):
    _free(f"torch.cuda.{_name}", "", lambda given: Some("bool"))
AVAILABLE = (
    "torch.backends.mps.is_available torch.backends.mps.is_built torch.mps.is_available "
    "torch.xpu.is_available "
    "torch.accelerator.is_available torch.backends.cudnn.is_available"
)
for _path in AVAILABLE.split():
    _free(_path, "", lambda given: Some("bool"))
for _name in (
    "device_count",
    "current_device",
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "max_memory_reserved",
):
    _free(f"torch.cuda.{_name}", "device", lambda given: Some("int"))
for _name in ("synchronize",):
    for _package in ("torch.cuda", "torch.mps", "torch.xpu", "torch.cpu", "torch.accelerator"):
        _free(f"{_package}.{_name}", "device", lambda given: NONE, "pure sync")
QUIET = (
    "torch.cuda.empty_cache torch.cuda.set_device torch.cuda.get_device_name "
    "torch.cuda.get_device_properties torch.cuda.reset_peak_memory_stats torch.cuda.get_device_capability "
    "torch.cuda.ipc_collect torch.cuda.mem_get_info torch.cuda.memory_summary torch.cuda.init "
    "torch.cuda.reset_max_memory_allocated torch.mps.empty_cache torch.set_num_threads "
    "torch.get_num_threads torch.set_num_interop_threads torch.set_float32_matmul_precision "
    "torch.get_float32_matmul_precision "
    "torch.are_deterministic_algorithms_enabled torch.set_printoptions "
    "torch.multiprocessing.set_start_method torch.multiprocessing.set_sharing_strategy torch.hub.set_dir "
    "torch.hub.download_url_to_file torch.cuda.current_stream torch.cuda.default_stream torch.cuda.Stream "
    "torch.cuda.Event torch.backends.cuda.enable_flash_sdp torch.backends.cuda.enable_math_sdp "
    "torch.backends.cuda.enable_mem_efficient_sdp torch.set_warn_always "
    "torch.accelerator.current_accelerator "
    "torch.cuda.nvtx.range_push torch.cuda.nvtx.range_pop"
)
for _path in QUIET.split():
    _free(_path)
_free("torch.cuda.Stream.wait_stream", "self stream")
for _name in ("record", "synchronize", "wait", "elapsed_time", "query"):
    _free(f"torch.cuda.Event.{_name}", "self *args")
_free("torch.testing.assert_close", "actual expected rtol atol", lambda given: NONE)
_free("torch.hub.load_state_dict_from_url", "url model_dir map_location", tags="pure load")
