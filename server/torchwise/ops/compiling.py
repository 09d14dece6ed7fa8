"""Compiling, exporting, tracing and capturing: what they are given runs under a region of that kind."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Invoke
from torchwise.domain.nature import BATCHED
from torchwise.domain.value import (
    ANY,
    NONE,
    Const,
    Items,
    Named,
    Num,
    Obj,
    Partial,
    Region,
    Some,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.ops.export_dims import opened, specialised
from torchwise.ops.regions import CALLABLE, context, region, wrapped
from torchwise.ops.spec import Given, Made, Outcome, Returns

GRAPHED = ("reduce-overhead", "max-autotune")  # modes that replay CUDA graphs


def _compile(given: Given) -> Value | Made:
    """Of a function or module, or a decorator where only options are given."""
    if given.const("disable", False) is True:
        return given.get("model", ANY)
    full = given.const("fullgraph", False)
    regions = [Region("compile", "fullgraph" if full is True else "", given.site)]
    if given.const("dynamic", None) is False:
        regions.append(Region("static", "", given.site))
    if given.const("mode", None) in GRAPHED:
        regions.append(Region("cudagraphs", "", given.site))
    model = given.get("model", NONE)
    if isinstance(model, CALLABLE):
        return Wrapped(model, tuple(regions))
    if model != NONE:
        return ANY
    return Partial(Named("torch.compile"), (), tuple((n, v) for n, v in given.values.items() if n != "model"))


def _disable(given: Given) -> Value | Made:
    func = given.get("fn", NONE)
    if isinstance(func, CALLABLE):
        return wrapped(given, func, "compile", "disabled")
    return context("torch.compiler.disable", Region("compile", "disabled"), given) if func == NONE else ANY


region(
    "torch.compile torch._dynamo.optimize",
    "model fullgraph dynamic backend mode options name disable recompile_limit "
    "isolate_recompiles shapes_spec",
    _compile,
    "generated/torch.compile.html",
    "pure region compiles",
    "compile",
)
region(
    "torch.compiler.disable torch._dynamo.disable",
    "fn recursive reason",
    _disable,
    "generated/torch.compiler.disable.html",
)


def _asked(given: Given) -> Value:
    return Some("bool")


def _is_compiling(given: Given) -> Value:
    """An export traces one way alone, by Dynamo or without; so does Dynamo, but for what it is to leave."""
    traced = [mode for kind, mode in given.regions if kind in ("export", "compile")]
    return Const(True) if traced and "disabled" not in traced else Some("bool")


def _is_exporting(given: Given) -> Value:
    traced = [kind for kind, mode in given.regions if kind in ("export", "compile") and mode != "disabled"]
    return Const("export" in traced) if traced else Some("bool")


for _path in ("is_compiling", "is_dynamo_compiling", "is_exporting"):
    region(
        f"torch.compiler.{_path}" + (" torch._dynamo.is_compiling" if _path == "is_compiling" else ""),
        "",
        _is_compiling if _path == "is_compiling" else _is_exporting if _path == "is_exporting" else _asked,
        f"generated/torch.compiler.{_path}.html",
        "pure guard",
    )
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
    region(_path, _params, lambda given: NONE, "torch.compiler_api.html", "pure")
for _path in ("torch.compiler.assume_constant_result", "torch._dynamo.nonstrict_trace"):
    region(_path, "fn", lambda given: given["fn"], "torch.compiler_api.html", "pure")


def _in_graph(given: Given) -> Value:
    """Dynamo puts a call of it into the graph as it stands, without looking inside."""
    func = given["fn"]
    return wrapped(given, func, "in-graph", "") if isinstance(func, CALLABLE) else func


region(
    "torch.compiler.allow_in_graph torch._dynamo.allow_in_graph",
    "fn",
    _in_graph,
    "torch.compiler_api.html",
    "pure",
)
region(
    "torch.compiler.set_stance",
    "stance skip_guard_eval_unsafe force_backend",
    lambda given: context(
        "torch.compiler.set_stance", Region("stance", str(given.const("stance", "default"))), given
    ),
    "generated/torch.compiler.set_stance.html",
)


# Export, tracing, capture


def _exported(given: Given) -> Outcome:
    """The module runs once, on the example, under the region."""
    module, args = given["mod"], given.list("args")
    made = Made(Obj("torch.export.ExportedProgram", {"~module": module}))
    if args is None or not isinstance(module, CALLABLE):
        return Outcome(made)
    faults = specialised(given, args)
    args = args if faults else opened(given, args)
    return Outcome(made, faults, (Invoke(wrapped(given, module, "export", ""), args),))


def _traced(kind: str, param: str) -> Returns:
    def returns(given: Given) -> Value:
        func = given.get(param, ANY)
        return wrapped(given, func, "jit", kind) if isinstance(func, CALLABLE) else ANY

    return returns


region(
    "torch.export.export torch.export.export_for_training",
    "mod args kwargs dynamic_shapes strict "
    "preserve_module_call_signature prefer_deferred_runtime_asserts_over_guards",
    _exported,
    "export.html#torch.export.export",
    "exports",
    "export",
)
region(
    "torch.onnx.export",
    "mod args f kwargs verbose input_names output_names opset_version dynamo external_data "
    "dynamic_shapes export_params dynamic_axes",
    _exported,
    "onnx_export.html",
    "exports",
    "onnx_export",
)
region(
    "torch.jit.script",
    "obj optimize",
    _traced("script", "obj"),
    "generated/torch.jit.script.html",
    "pure deprecated jit",
)
region(
    "torch.jit.trace",
    "func example_inputs optimize check_trace",
    _traced("trace", "func"),
    "generated/torch.jit.trace.html",
    "deprecated jit",
)
region(
    "torch.jit.freeze torch.jit.optimize_for_inference",
    "mod preserved_attrs",
    lambda given: given["mod"],
    "generated/torch.jit.freeze.html",
    "pure deprecated jit",
)
for _path, _params in (("torch.jit.save", "m f"), ("torch.jit.load", "f map_location")):
    region(_path, _params, lambda given: ANY, f"generated/{_path}.html", "pure deprecated jit")
for _path in ("torch.jit.is_scripting", "torch.jit.is_tracing"):
    region(_path, "", lambda given: Some("bool"), "jit.html", "pure guard")
region(
    "torch.cuda.graph torch.cuda.graphs.graph",
    "cuda_graph pool stream capture_error_mode",
    lambda given: context("torch.cuda.graph", Region("cuda-graph", ""), given),
    "generated/torch.cuda.graph.html",
)
region(
    "torch.cuda.CUDAGraph torch.cuda.graphs.CUDAGraph",
    "keep_graph",
    lambda given: Made(Obj("torch.cuda.CUDAGraph")),
    "generated/torch.cuda.CUDAGraph.html",
    "pure",
)
for _name in ("replay", "reset", "pool", "capture_begin", "capture_end"):
    region(
        f"torch.cuda.CUDAGraph.{_name}",
        "self",
        lambda given: ANY,
        "generated/torch.cuda.CUDAGraph.html",
        "pure",
    )
region(
    "torch.cuda.make_graphed_callables",
    "callables sample_args num_warmup_iters allow_unused_input",
    lambda given: (
        wrapped(given, given["callables"], "cuda-graph", "")
        if isinstance(given["callables"], CALLABLE)
        else ANY
    ),
    "generated/torch.cuda.make_graphed_callables.html",
    "region",
)

# Function transforms: what they return takes other arguments than the function; only vmap is followed.


def _vmapped(given: Given) -> Outcome:
    """The function is called once, with tensors that stand for one example each."""
    obj, args = given.obj(), given.list("args")
    func = given.attr("func")
    if (
        obj is None
        or args is None
        or not isinstance(func, CALLABLE)
        or given.values.keys() - {"self", "args"}
    ):
        return Outcome(ANY)
    dims = _mapped(given, obj.attrs.get("in_dims", Num(Dim.of(0))), len(args))
    mode = obj.attrs.get("randomness", Const("error"))
    known = mode.value if isinstance(mode, Const) and isinstance(mode.value, str) else ""
    rows = tuple([_example(value, mapped) for value, mapped in zip(args, dims, strict=True)])
    return Outcome(ANY, (), (Invoke(wrapped(given, func, "vmap", known), rows, hands_on=False),))


def _mapped(given: Given, dims: Value, count: int) -> list[bool | None]:
    """For each argument, whether vmap takes it apart."""
    each = dims.items if isinstance(dims, Items) and len(dims.items) == count else (dims,) * count
    return [True if isinstance(d, Num) else False if d == NONE else None for d in each]


def _example(value: Value, mapped: bool | None) -> Value:
    if mapped is False:
        return value
    return Tensor(dtype=value.dtype, nature=BATCHED) if mapped and isinstance(value, Tensor) else ANY


def _differentiated(given: Given) -> Outcome:
    """Within vmap the function of a gradient function is run on one example too."""
    func, args = given.attr("func"), given.list("args")
    if args is None or not isinstance(func, CALLABLE) or all(kind != "vmap" for kind, _ in given.regions):
        return Outcome(ANY)
    return Outcome(ANY, (), (Invoke(func, args, hands_on=False),))


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
    region(
        _paths,
        _params,
        lambda given, path=f"torch.func.{_name}": Made(Obj(path, dict(given.values))),  # type: ignore[misc]
        f"generated/torch.func.{_name}.html",
        "pure transform",
    )
    region(
        f"torch.func.{_name}.__call__",
        "self *args",
        _vmapped if _name == "vmap" else _differentiated if _name.startswith("grad") else lambda given: ANY,
        f"generated/torch.func.{_name}.html",
        "pure",
    )
