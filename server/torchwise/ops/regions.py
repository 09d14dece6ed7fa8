"""Code that runs under something: grad modes, autocast, compiling, exporting, capturing, tracing.

Each is an object with the mark "region": entered by `with`, or wrapped round a function that it is called
with. "grad": on, off, inference. "autocast": a dtype, "off", or "" where that is not known. "compile": "",
fullgraph, disabled.
"""

from __future__ import annotations

from torchwise.domain.effects import EnterRegion, SetMark
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
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.spec import Given, Made, Outcome, Returns, op

CALLABLE = (Func, Wrapped, Pointer, Class, Partial)


def context(path: str, region: Region, given: Given) -> Made:
    return Made(Obj(path, dict(given.values), marks={"region": Region(region.kind, region.mode, given.site)}))


def wrapped(given: Given, func: Value, kind: str, mode: str) -> Value:
    return Wrapped(func, (Region(kind, mode, given.site),))


def region(
    paths: str, params: str, returns: Returns, source: str, tags: str = "pure region", name: str | None = None
) -> None:
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
    """A plain call switches the mode; the object that it returns switches it back where a `with` block
    ends."""
    mode = given.const("mode", True)
    region = Region("grad", "unknown" if mode is ... else "on" if mode else "off", given.site)
    made = Made(Obj("torch.set_grad_enabled", dict(given.values), marks={"region": region}))
    return Outcome(made, (), (EnterRegion(region),))


for _name, _mode in (("no_grad", "off"), ("enable_grad", "on")):
    region(
        f"torch.{_name} torch.autograd.{_name} torch.autograd.grad_mode.{_name}",
        "orig_func",
        _grad_mode(f"torch.{_name}", _mode),
        f"generated/torch.{_name}.html",
    )
region(
    "torch.inference_mode torch.autograd.inference_mode torch.autograd.grad_mode.inference_mode",
    "mode",
    _inference,
    "generated/torch.autograd.grad_mode.inference_mode.html",
)
region(
    "torch.set_grad_enabled torch.autograd.set_grad_enabled torch.autograd.grad_mode.set_grad_enabled",
    "mode",
    _set_grad,
    "generated/torch.autograd.grad_mode.set_grad_enabled.html",
)
for _path in ("torch.is_grad_enabled", "torch.is_inference_mode_enabled"):
    region(_path, "", lambda given: Some("bool"), f"generated/{_path}.html", "pure")


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


region(
    "torch.autocast torch.amp.autocast torch.amp.autocast_mode.autocast",
    "device_type dtype enabled cache_enabled",
    _autocast(None),
    "amp.html#autocasting",
)
region(
    "torch.cuda.amp.autocast torch.cuda.amp.autocast_mode.autocast",
    "enabled dtype cache_enabled",
    _autocast("float16"),
    "amp.html#autocasting",
    "pure region deprecated",
)
region(
    "torch.cpu.amp.autocast",
    "enabled dtype cache_enabled",
    _autocast("bfloat16"),
    "amp.html#autocasting",
    "pure region deprecated",
)
region(
    "torch.amp.custom_fwd",
    "fwd device_type cast_inputs",
    lambda given: given.get("fwd", ANY),
    "amp.html",
    "pure",
)
region("torch.amp.custom_bwd", "bwd device_type", lambda given: given.get("bwd", ANY), "amp.html", "pure")
region(
    "torch.cuda.amp.custom_fwd",
    "fwd cast_inputs",
    lambda given: given.get("fwd", ANY),
    "amp.html",
    "pure deprecated",
)
region("torch.cuda.amp.custom_bwd", "bwd", lambda given: given.get("bwd", ANY), "amp.html", "pure deprecated")


# Ambient settings


def _ambient(kind: str, param: str) -> Returns:
    """A setting that is not known changes nothing here: results would have to be unknown everywhere."""

    def returns(given: Given) -> Outcome:
        match given[param]:
            case Dtype(name) | Device(name) | Const(str(name)):
                return Outcome(
                    NONE, (), (EnterRegion(Region(kind, name.removeprefix("torch."), given.site)),)
                )
        return Outcome(NONE)

    return returns


region(
    "torch.set_default_dtype", "d", _ambient("dtype", "d"), "generated/torch.set_default_dtype.html", "pure"
)
region(
    "torch.set_default_device",
    "device",
    _ambient("device", "device"),
    "generated/torch.set_default_device.html",
    "pure",
)
region(
    "torch.get_default_dtype",
    "",
    lambda given: Dtype(given.defaults.get("dtype", "float32")),
    "generated/torch.get_default_dtype.html",
    "pure",
)
region(
    "torch.get_default_device",
    "",
    lambda given: Device(name) if (name := given.defaults.get("device", "cpu")) else Some("device"),
    "generated/torch.get_default_device.html",
    "pure",
)


def _device(given: Given) -> Value:
    """`torch.device("cuda")`, `torch.device("cuda", 1)`: a value, or a context for what is made in it."""
    name, index = given.const("type"), given.int("index")
    if isinstance(given["type"], Device) and "index" not in given:
        return given["type"]
    if not isinstance(name, str) or ("index" in given and index is None):
        return Some("device")
    return Device(name if index is None else f"{name}:{index}")


region("torch.device", "type index", _device, "tensor_attributes.html#torch.device", "pure")

# Other contexts


def _plain(path: str, kind: str, mode: str = "") -> Returns:
    return lambda given: context(path, Region(kind, mode), given)


def _anomaly(given: Given) -> Outcome:
    mode = given.const("mode", True)
    region = Region("anomaly", "unknown" if mode is ... else "on" if mode else "off", given.site)
    return Outcome(context("torch.autograd.set_detect_anomaly", region, given), (), (EnterRegion(region),))


region(
    "torch.autograd.set_detect_anomaly torch.autograd.anomaly_mode.set_detect_anomaly",
    "mode check_nan",
    _anomaly,
    "autograd.html#anomaly-detection",
    "pure region anomaly",
)
region(
    "torch.autograd.detect_anomaly torch.autograd.anomaly_mode.detect_anomaly",
    "check_nan",
    _plain("torch.autograd.detect_anomaly", "anomaly", "on"),
    "autograd.html#anomaly-detection",
    "pure region anomaly",
)
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
    ("torch.random.fork_rng", "devices enabled device_type", "none"),
    ("torch.cuda.device", "device", "none"),
    ("torch.cuda.stream", "stream", "none"),
    ("torch.nn.attention.sdpa_kernel", "backends set_priority", "none"),
    ("torch.backends.cuda.sdp_kernel", "enable_flash enable_math enable_mem_efficient", "none"),
    (
        "torch.backends.cudnn.flags",
        "enabled benchmark benchmark_limit deterministic allow_tf32 fp32_precision",
        "none",
    ),
    ("torch.backends.mkldnn.flags", "enabled deterministic allow_tf32 fp32_precision", "none"),
    ("torch.backends.flags", "fp32_precision", "none"),
    ("torch.autograd.graph.save_on_cpu", "pin_memory device_type", "saved-hooks"),
    ("torch.autograd.graph.saved_tensors_hooks", "pack_hook unpack_hook", "saved-hooks"),
    ("torch.autograd.graph.disable_saved_tensors_hooks", "error_message", "none"),
    ("torch.autograd.graph.allow_mutation_on_saved_tensors", "", "saved-hooks"),
    ("torch.nn.utils.parametrize.cached", "", "none"),
    ("torch.autograd.forward_ad.dual_level", "", "none"),
)
PROFILE = "torch.profiler.profile"


def _profile(given: Given) -> Made:
    """With a schedule nothing is recorded unless `step` is called."""
    return Made(
        Obj(
            PROFILE, dict(given.values), marks={"region": Region("profile", "", given.site), "stepped": FAILS}
        )
    )


region(
    PROFILE,
    "activities schedule on_trace_ready record_shapes profile_memory with_stack with_flops",
    _profile,
    "profiler.html",
)
for _paths, _params, _kind in OTHERS:
    _first = _paths.split()[0]
    region(
        _paths,
        _params,
        _plain(_first, _kind),
        f"generated/{_first}.html"
        if _first.startswith("torch")
        else f"https://docs.python.org/3/library/{_first.partition('.')[0]}.html",
    )


def _stepped(given: Given) -> Outcome:
    return Outcome(NONE, (), (SetMark(given["self"], "stepped", HOLDS),))


for _name, _params in (
    ("step", ""),
    ("start", ""),
    ("stop", ""),
    ("export_chrome_trace", "path"),
    ("key_averages", ""),
):
    region(
        f"{PROFILE}.{_name}",
        f"self {_params}",
        _stepped if _name == "step" else lambda given: ANY,
        "profiler.html",
        "pure profiler-step" if _name == "step" else "pure",
    )
for _path, _params in (
    ("torch.profiler.schedule", "wait warmup active repeat skip_first"),
    ("torch.profiler.tensorboard_trace_handler", "dir_name worker_name use_gzip"),
):
    region(_path, _params, lambda given: Some("function"), "profiler.html", "pure")
