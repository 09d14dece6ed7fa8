"""Code that runs under something: grad modes, autocast, compiling, exporting, capturing, tracing.

Each is an object with the mark "region": entered by `with`, or wrapped round a function that it is called with.
"grad": on, off, inference. "autocast": a dtype, "off", or "" where that is not known. "compile": "", fullgraph, disabled.
"""

from __future__ import annotations

from torchwise.domain.effects import EnterRegion, Invoke
from torchwise.domain.value import (
    ANY,
    NONE,
    Class,
    Const,
    Device,
    Dtype,
    Func,
    Obj,
    Partial,
    Pointer,
    Region,
    Some,
    Value,
    Wrapped,
)
from torchwise.ops.spec import Given, Made, Outcome, Returns, op

CALLABLE = (Func, Wrapped, Pointer, Class, Partial)


def context(path: str, region: Region, given: Given) -> Made:
    return Made(Obj(path, dict(given.values), marks={"region": Region(region.kind, region.mode, given.site)}))


def wrapped(given: Given, func: Value, kind: str, mode: str) -> Value:
    return Wrapped(func, (Region(kind, mode, given.site),))


def _row(paths: str, params: str, returns: Returns, source: str, tags: str = "pure region", name: str | None = None) -> None:
    op(*paths.split(), params=params, returns=returns, grad="cut", tags=tags, source=source, name=name)


# Grad modes: `@torch.no_grad` works without parentheses too


def _grad_mode(path: str, mode: str) -> Returns:
    def returns(given: Given) -> Value | Made:
        func = given.get("orig_func", NONE)
        if isinstance(func, CALLABLE):
            return wrapped(given, func, "grad", mode)
        return context(path, Region("grad", mode), given)

    return returns


def _inference(given: Given) -> Value | Made:
    mode = given.get("mode", Const(True))
    if isinstance(mode, CALLABLE):
        return wrapped(given, mode, "grad", "inference")
    known = mode.value if isinstance(mode, Const) else ...
    how = "inference" if known is True else "on" if known is False else "unknown"
    return context("torch.inference_mode", Region("grad", how), given)


def _set_grad(given: Given) -> Outcome:
    """A plain call switches the mode; the object that it returns switches it back where a `with` block ends."""
    mode = given.const("mode", True)
    region = Region("grad", "unknown" if mode is ... else "on" if mode else "off", given.site)
    made = Made(Obj("torch.set_grad_enabled", dict(given.values), marks={"region": region}))
    return Outcome(made, (), (EnterRegion(region),))


for _name, _mode in (("no_grad", "off"), ("enable_grad", "on")):
    _row(
        f"torch.{_name} torch.autograd.{_name} torch.autograd.grad_mode.{_name}",
        "orig_func",
        _grad_mode(f"torch.{_name}", _mode),
        f"generated/torch.{_name}.html",
    )
_row("torch.inference_mode torch.autograd.inference_mode torch.autograd.grad_mode.inference_mode", "mode", _inference,
     "generated/torch.autograd.grad_mode.inference_mode.html")
_row("torch.set_grad_enabled torch.autograd.set_grad_enabled torch.autograd.grad_mode.set_grad_enabled", "mode", _set_grad,
     "generated/torch.autograd.grad_mode.set_grad_enabled.html")
for _path in ("torch.is_grad_enabled", "torch.is_inference_mode_enabled"):
    _row(_path, "", lambda given: Some("bool"), f"generated/{_path}.html", "pure")


# Autocast


def _autocast(default: str | None) -> Returns:
    def returns(given: Given) -> Made:
        return context("torch.autocast", Region("autocast", _cast(given, default)), given)

    return returns


def _cast(given: Given, default: str | None) -> str:
    on = given.const("enabled", True)
    if on is ...:
        return ""
    if not on:
        return "off"
    match given.get("dtype", NONE):
        case Dtype(name):
            return name
        case Const(None):
            return default or _usual(given)
    return ""


def _usual(given: Given) -> str:
    """The dtype that autocast takes for a device."""
    kind = given.const("device_type", None)
    known = {"cpu": "bfloat16", "cuda": "float16", "xpu": "float16", "mps": "float16"}
    return known.get(kind.partition(":")[0], "") if isinstance(kind, str) else ""


_row("torch.autocast torch.amp.autocast torch.amp.autocast_mode.autocast", "device_type dtype enabled cache_enabled",
     _autocast(None), "amp.html#autocasting")
_row("torch.cuda.amp.autocast torch.cuda.amp.autocast_mode.autocast", "enabled dtype cache_enabled", _autocast("float16"),
     "amp.html#autocasting", "pure region deprecated")
_row("torch.cpu.amp.autocast", "enabled dtype cache_enabled", _autocast("bfloat16"), "amp.html#autocasting",
     "pure region deprecated")
_row("torch.amp.custom_fwd", "fwd device_type cast_inputs", lambda given: given.get("fwd", ANY), "amp.html", "pure")
_row("torch.amp.custom_bwd", "bwd device_type", lambda given: given.get("bwd", ANY), "amp.html", "pure")
_row("torch.cuda.amp.custom_fwd", "fwd cast_inputs", lambda given: given.get("fwd", ANY), "amp.html", "pure deprecated")
_row("torch.cuda.amp.custom_bwd", "bwd", lambda given: given.get("bwd", ANY), "amp.html", "pure deprecated")


# Compiling


def _compile(given: Given) -> Value | Made:
    """Of a function or module, or a decorator where only options are given."""
    if given.const("disable", False) is True:
        return given.get("model", ANY)
    full = given.const("fullgraph", False)
    mode = "fullgraph" if full is True else ""
    model = given.get("model", NONE)
    if isinstance(model, CALLABLE):
        return wrapped(given, model, "compile", mode)
    return context("torch.compile", Region("compile", mode), given) if model == NONE else ANY


def _disable(given: Given) -> Value | Made:
    func = given.get("fn", NONE)
    if isinstance(func, CALLABLE):
        return wrapped(given, func, "compile", "disabled")
    return context("torch.compiler.disable", Region("compile", "disabled"), given) if func == NONE else ANY


_row("torch.compile torch._dynamo.optimize", "model fullgraph dynamic backend mode options name disable recompile_limit "
     "isolate_recompiles shapes_spec", _compile, "generated/torch.compile.html", "pure region compiles", "compile")
_row("torch.compiler.disable torch._dynamo.disable", "fn recursive reason", _disable, "generated/torch.compiler.disable.html")
for _path in ("is_compiling", "is_dynamo_compiling", "is_exporting"):
    _row(f"torch.compiler.{_path}" + (" torch._dynamo.is_compiling" if _path == "is_compiling" else ""), "",
         lambda given: Some("bool"), f"generated/torch.compiler.{_path}.html", "pure guard")
for _path, _params in (
    ("torch.compiler.reset", ""),
    ("torch._dynamo.reset", ""),
    ("torch.compiler.cudagraph_mark_step_begin", ""),
    ("torch._dynamo.mark_dynamic", "t index min max"),
    ("torch._dynamo.mark_static", "t index"),
    ("torch._dynamo.maybe_mark_dynamic", "t index"),
    ("torch._dynamo.mark_static_address", "t guard"),
    ("torch._dynamo.graph_break", "msg"),
):
    _row(_path, _params, lambda given: NONE, "torch.compiler_api.html", "pure")
for _path in ("torch.compiler.allow_in_graph", "torch.compiler.assume_constant_result", "torch._dynamo.nonstrict_trace"):
    _row(_path, "fn", lambda given: given["fn"], "torch.compiler_api.html", "pure")
_row("torch.compiler.set_stance", "stance skip_guard_eval_unsafe force_backend",
     lambda given: context("torch.compiler.set_stance", Region("stance", str(given.const("stance", "default"))), given),
     "generated/torch.compiler.set_stance.html")


# Export, tracing, capture


def _exported(given: Given) -> Outcome:
    """The module runs once, on the example, under the region."""
    module, args = given["mod"], given.list("args")
    made = Made(Obj("torch.export.ExportedProgram", {"module": module}))
    if args is None or not isinstance(module, CALLABLE):
        return Outcome(made)
    return Outcome(made, (), (Invoke(wrapped(given, module, "export", ""), args),))


def _traced(kind: str, param: str) -> Returns:
    def returns(given: Given) -> Value:
        func = given.get(param, ANY)
        return wrapped(given, func, "jit", kind) if isinstance(func, CALLABLE) else ANY

    return returns


_row("torch.export.export torch.export.export_for_training", "mod args kwargs dynamic_shapes strict "
     "preserve_module_call_signature prefer_deferred_runtime_asserts_over_guards", _exported,
     "export.html#torch.export.export", "exports", "export")
_row("torch.onnx.export", "mod args f kwargs verbose input_names output_names opset_version dynamo external_data "
     "dynamic_shapes export_params dynamic_axes", _exported, "onnx_export.html", "exports", "onnx_export")
_row("torch.jit.script", "obj optimize", _traced("script", "obj"), "generated/torch.jit.script.html", "pure deprecated jit")
_row("torch.jit.trace", "func example_inputs optimize check_trace", _traced("trace", "func"),
     "generated/torch.jit.trace.html", "deprecated jit")
_row("torch.jit.freeze torch.jit.optimize_for_inference", "mod preserved_attrs", lambda given: given["mod"],
     "generated/torch.jit.freeze.html", "pure deprecated jit")
for _path, _params in (("torch.jit.save", "m f"), ("torch.jit.load", "f map_location")):
    _row(_path, _params, lambda given: ANY, f"generated/{_path}.html", "pure deprecated jit")
for _path in ("torch.jit.is_scripting", "torch.jit.is_tracing"):
    _row(_path, "", lambda given: Some("bool"), "jit.html", "pure guard")
_row("torch.cuda.graph torch.cuda.graphs.graph", "cuda_graph pool stream capture_error_mode",
     lambda given: context("torch.cuda.graph", Region("cuda-graph", ""), given), "generated/torch.cuda.graph.html")
_row("torch.cuda.CUDAGraph torch.cuda.graphs.CUDAGraph", "keep_graph", lambda given: Made(Obj("torch.cuda.CUDAGraph")),
     "generated/torch.cuda.CUDAGraph.html", "pure")
for _name in ("replay", "reset", "pool", "capture_begin", "capture_end"):
    _row(f"torch.cuda.CUDAGraph.{_name}", "self", lambda given: ANY, "generated/torch.cuda.CUDAGraph.html", "pure")
_row("torch.cuda.make_graphed_callables", "callables sample_args num_warmup_iters allow_unused_input",
     lambda given: wrapped(given, given["callables"], "cuda-graph", "")
     if isinstance(given["callables"], CALLABLE) else ANY,
     "generated/torch.cuda.make_graphed_callables.html", "region")

# Function transforms: what they return takes other arguments than the function, so it is not followed.
for _name, _params in (
    ("vmap", "func in_dims out_dims randomness chunk_size"),
    ("grad", "func argnums has_aux"),
    ("grad_and_value", "func argnums has_aux"),
    ("jacrev", "func argnums has_aux chunk_size"),
    ("jacfwd", "func argnums has_aux randomness"),
    ("hessian", "func argnums"),
    ("functionalize", "func remove"),
):
    _paths = f"torch.func.{_name}" + (" torch.vmap" if _name == "vmap" else "")
    _row(_paths, _params, lambda given, path=f"torch.func.{_name}": Made(Obj(path, {"func": given["func"]})),  # type: ignore[misc]
         f"generated/torch.func.{_name}.html", "pure transform")
    _row(f"torch.func.{_name}.__call__", "self *args", lambda given: ANY, f"generated/torch.func.{_name}.html", "pure")


# Ambient settings


def _ambient(kind: str, param: str) -> Returns:
    """A setting that is not known changes nothing here: results would have to be unknown everywhere."""

    def returns(given: Given) -> Outcome:
        match given[param]:
            case Dtype(name) | Device(name) | Const(str(name)):
                return Outcome(NONE, (), (EnterRegion(Region(kind, name.removeprefix("torch."), given.site)),))
        return Outcome(NONE)

    return returns


_row("torch.set_default_dtype", "d", _ambient("dtype", "d"), "generated/torch.set_default_dtype.html", "pure")
_row("torch.set_default_device", "device", _ambient("device", "device"), "generated/torch.set_default_device.html", "pure")
_row("torch.get_default_dtype", "", lambda given: Dtype(given.defaults.get("dtype", "float32")),
     "generated/torch.get_default_dtype.html", "pure")
_row("torch.get_default_device", "", lambda given: Device(given.defaults.get("device", "cpu")),
     "generated/torch.get_default_device.html", "pure")


# Other contexts


def _plain(path: str, kind: str, mode: str = "") -> Returns:
    return lambda given: context(path, Region(kind, mode), given)


def _anomaly(given: Given) -> Outcome:
    mode = given.const("mode", True)
    region = Region("anomaly", "unknown" if mode is ... else "on" if mode else "off", given.site)
    return Outcome(context("torch.autograd.set_detect_anomaly", region, given), (), (EnterRegion(region),))


_row("torch.autograd.set_detect_anomaly torch.autograd.anomaly_mode.set_detect_anomaly", "mode check_nan", _anomaly,
     "autograd.html#anomaly-detection", "pure region anomaly")
_row("torch.autograd.detect_anomaly torch.autograd.anomaly_mode.detect_anomaly", "check_nan",
     _plain("torch.autograd.detect_anomaly", "anomaly", "on"), "autograd.html#anomaly-detection", "pure region anomaly")
OTHERS = (
    # paths, parameters, kind of region
    ("contextlib.nullcontext", "enter_result", "none"),
    ("contextlib.suppress", "*exceptions", "none"),
    ("contextlib.redirect_stdout", "new_target", "none"),
    ("contextlib.redirect_stderr", "new_target", "none"),
    ("warnings.catch_warnings", "record action", "none"),
    ("torch.profiler.record_function torch.autograd.profiler.record_function", "name args", "none"),
    ("torch.autograd.profiler.emit_nvtx", "enabled", "none"),
    ("torch.autograd.profiler.profile", "enabled", "profile"),
    ("torch.profiler.profile", "activities schedule on_trace_ready record_shapes profile_memory with_stack with_flops",
     "profile"),
    ("torch.random.fork_rng", "devices enabled device_type", "none"),
    ("torch.cuda.device", "device", "none"),
    ("torch.cuda.stream", "stream", "none"),
    ("torch.nn.attention.sdpa_kernel", "backends set_priority", "none"),
    ("torch.backends.cuda.sdp_kernel", "enable_flash enable_math enable_mem_efficient", "none"),
    ("torch.backends.cudnn.flags", "enabled benchmark deterministic allow_tf32", "none"),
    ("torch.autograd.graph.save_on_cpu", "pin_memory device_type", "saved-hooks"),
    ("torch.autograd.graph.saved_tensors_hooks", "pack_hook unpack_hook", "saved-hooks"),
    ("torch.autograd.graph.disable_saved_tensors_hooks", "error_message", "none"),
    ("torch.autograd.graph.allow_mutation_on_saved_tensors", "", "saved-hooks"),
    ("torch.nn.utils.parametrize.cached", "", "none"),
    ("torch.autograd.forward_ad.dual_level", "", "none"),
)
for _paths, _params, _kind in OTHERS:
    _first = _paths.split()[0]
    _row(_paths, _params, _plain(_first, _kind), f"generated/{_first}.html" if _first.startswith("torch") else
         f"https://docs.python.org/3/library/{_first.partition('.')[0]}.html")
PROFILE = "torch.profiler.profile"
for _name, _params in (("step", ""), ("start", ""), ("stop", ""), ("export_chrome_trace", "path"), ("key_averages", "")):
    _row(f"{PROFILE}.{_name}", f"self {_params}", lambda given: ANY, "profiler.html", "pure profiler-step" if _name == "step"
         else "pure")
for _path, _params in (("torch.profiler.schedule", "wait warmup active repeat skip_first"),
                       ("torch.profiler.tensorboard_trace_handler", "dir_name worker_name use_gzip")):
    _row(_path, _params, lambda given: ANY, "profiler.html", "pure")
