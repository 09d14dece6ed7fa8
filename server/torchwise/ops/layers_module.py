"""What every torch.nn.Module can do: modes, moving, parameters, state, registering, hooks; and Parameter
itself.

`ReplaceTensors` with "?" for a device or dtype says that it is another one, and nobody knows which.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torchwise.domain.effects import (
    Effect,
    Escape,
    Invoke,
    LookInto,
    ReplaceTensors,
    SetAttrOf,
    SetItems,
    SetMark,
)
from torchwise.domain.value import (
    ANY,
    NONE,
    Any,
    Const,
    Device,
    Dtype,
    Items,
    Many,
    Num,
    Obj,
    Params,
    Pointer,
    Region,
    Some,
    Tensor,
    Value,
)
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict
from torchwise.ops.layers import MODULE
from torchwise.ops.members import REGISTERED, refused, shallow, taken
from torchwise.ops.module_tree import children_of, devices_met, modules_of
from torchwise.ops.parameters import cleared
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

PAGE = "generated/torch.nn.Module.html"


def method(name: str, params: str = "", *, returns: Returns, tags: str = "pure", grad: str = "cut") -> None:
    op(f"{MODULE}.{name}", params=f"self {params}", returns=returns, tags=tags, grad=grad, source=PAGE)


def chained(*effects: Callable[[Given], Effect]) -> Returns:
    """A method that returns its module."""
    return lambda given: Outcome(given["self"], (), tuple(effect(given) for effect in effects))


# Modes


def _mode(given: Given) -> Effect:
    value = given.const("mode", True)
    verdict = UNKNOWN if value is ... else Verdict.of(bool(value))
    return SetMark(given["self"], "training", verdict, deep=True)


def _training(given: Given) -> Value:
    obj = given.obj()
    mark = None if obj is None else obj.marks.get("training")
    return Const(True) if mark is HOLDS else Const(False) if mark is FAILS else Some("bool")


def _begun(given: Given) -> tuple[Effect, ...]:
    """From here on the module takes layers and parameters."""
    return SetMark(given["self"], "training", HOLDS), SetMark(given["self"], "initialised", HOLDS)


op(
    MODULE,
    "torch.nn.modules.module.Module",
    "torch.nn.modules.Module",
    params="*args",
    returns=lambda given: Made(Obj(MODULE, marks={"training": HOLDS})),
    grad="cut",
    source=PAGE,
)
method("__init__", "*args", returns=lambda given: Outcome(NONE, (), _begun(given)))
op(f"{MODULE}.training", params="self", returns=_training, tags="attribute", grad="cut", source=PAGE)
method("train", "mode", returns=chained(_mode))
method("eval", returns=chained(lambda given: SetMark(given["self"], "training", FAILS, deep=True)))


def _freeze(given: Given) -> Effect:
    value = given.const("requires_grad", True)
    return Escape(given["self"]) if value is ... else ReplaceTensors(given["self"], requires_grad=bool(value))


method("requires_grad_", "requires_grad", returns=chained(_freeze))
method("zero_grad", "set_to_none", returns=lambda given: Outcome(NONE, (), (cleared(given),)))


# Moving


def _to(given: Given) -> Effect:
    """`to(device)`, `to(dtype)`, `to(tensor)`, `to(device, dtype)`, and by keyword."""
    device = dtype = None
    for value in (given["device"], given["dtype"], *(given.list("args") or (given["args"],))):
        match value:
            case Device(name) | Const(str(name)):
                device = name
            case Dtype(name):
                dtype = name
            case Tensor():
                device, dtype = value.device or "?", value.dtype or "?"
            case Num():
                device = "?"
    if device is None and dtype is None and set(given.values) != {"self"} and "memory_format" not in given:
        device = "?"
        dtype = "?" if any(isinstance(v, Any) for v in given.list("args") or ()) or "dtype" in given else None
    return ReplaceTensors(given["self"], dtype, device, memory_format=_format(given))


def _format(given: Given) -> str | None:
    value = given.get("memory_format", NONE)
    return None if value == NONE else str(value.value) if isinstance(value, Const) else "?"


def _cuda(kind: str) -> Callable[[Given], Effect]:
    def effect(given: Given) -> Effect:
        index = given.const("device", None)
        match given.get("device", NONE):
            case Device(name) | Const(str(name)):
                return ReplaceTensors(given["self"], device=name)
        name = kind if index is None else f"{kind}:{index}" if isinstance(index, int) else "?"
        return ReplaceTensors(given["self"], device=name)

    return effect


def _type(given: Given) -> Effect:
    value = given["dst_type"]
    return ReplaceTensors(given["self"], dtype=value.name if isinstance(value, Dtype) else "?")


method("to", "*args device dtype non_blocking memory_format", returns=chained(_to))
method("cuda", "device", returns=chained(_cuda("cuda")))
method("xpu", "device", returns=chained(_cuda("xpu")))
method("cpu", returns=chained(lambda given: ReplaceTensors(given["self"], device="cpu")))
method("to_empty", "device recurse", returns=chained(_cuda("?")))
method("type", "dst_type", returns=chained(_type))
for _name, _dtype in (
    ("half", "float16"),
    ("float", "float32"),
    ("double", "float64"),
    ("bfloat16", "bfloat16"),
):
    method(_name, returns=chained(lambda given, dtype=_dtype: ReplaceTensors(given["self"], dtype=dtype)))  # type: ignore[misc]
method("share_memory", returns=chained())


# What is inside


def _parameters(named: bool) -> Returns:
    def returns(given: Given) -> Value:
        owner = given["self"]
        if isinstance(owner, Pointer):
            return Params(owner.to, given.site, named)
        each = Tensor(requires_grad=UNKNOWN, leaf=HOLDS, kind="parameter")
        return Many(Items((Some("str"), each)) if named else each)

    return returns


def _part(given: Given) -> Value:
    """`get_parameter("weight")`; what has dots in its name is not looked for."""
    name, obj = given.const("target"), given.obj()
    return ANY if obj is None or not isinstance(name, str) else obj.attrs.get(name, ANY)


method("parameters", "recurse", returns=_parameters(named=False))
method("named_parameters", "prefix recurse remove_duplicate", returns=_parameters(named=True))
BUFFER = Tensor(requires_grad=FAILS, leaf=HOLDS, kind="buffer")
method("buffers", "recurse", returns=lambda given: Many(BUFFER))
method(
    "named_buffers",
    "prefix recurse remove_duplicate",
    returns=lambda given: Many(Items((Some("str"), BUFFER))),
)


def _modules(given: Given) -> Value:
    """Itself and all that is inside, where that is known."""
    found = modules_of(given, given["self"])
    return Many(ANY) if found is None else Items(found)


def _named_modules(given: Given) -> Value:
    found = modules_of(given, given["self"])
    if found is None:
        return Many(Items((Some("str"), ANY)))
    return Items(tuple(Items((Some("str"), module)) for module in found))


method("modules", returns=_modules)
method("named_modules", "memo prefix remove_duplicate", returns=_named_modules)
for _name in ("get_parameter", "get_buffer", "get_submodule"):
    method(_name, "target", returns=_part)


def _children(given: Given) -> Value:
    found = _known_children(given)
    return Many(ANY) if found is None else Items(tuple(child for _, child in found))


def _named_children(given: Given) -> Value:
    found = _known_children(given)
    if found is None:
        return Many(Items((Some("str"), ANY)))
    return Items(tuple(Items((Const(name), child)) for name, child in found))


def _known_children(given: Given) -> tuple[tuple[str, Pointer], ...] | None:
    obj = given.obj()
    return None if obj is None else children_of(given, obj)


method("children", returns=_children)
method("named_children", returns=_named_children)


def _applied(given: Given) -> Outcome:
    """The function gets every module inside, and last the module itself."""
    found = modules_of(given, given["self"]) or ()
    each = found[::-1] if 0 < len(found) <= MOST_APPLIED else (ANY,)
    calls: tuple[Effect, ...] = tuple(Invoke(given["fn"], (module,)) for module in each)
    obj = given.obj()
    if obj is not None and len(found) == 1 and not any(isinstance(v, Tensor) for v in obj.attrs.values()):
        calls += (SetMark(given["self"], EARLY, given["fn"]),)
    elif obj is not None and EARLY in obj.marks:
        calls += (SetMark(given["self"], EARLY, None),)
    return Outcome(given["self"], (), calls)


EARLY = "applied-early"  # mark of a module: what `apply` got while there was nothing to apply it to
MOST_APPLIED = 16
method("apply", "fn", returns=_applied, tags="")


# State


def _state(given: Given) -> Made:
    """The dict's tensors are the module's own, detached: they go on changing with training."""
    each = Tensor(device=_device(given), requires_grad=FAILS, leaf=HOLDS, kind="state")
    return Made(Obj("dict", items=None, each=each, marks={"state_of": given["self"]}))


def _device(given: Given) -> str | None:
    """Where all of a module's tensors are, if that is one place."""
    objs = [given.heap[m.to] for m in modules_of(given, given["self"]) or () if isinstance(m, Pointer)]
    found = {v.device for obj in objs for v in obj.attrs.values() if isinstance(v, Tensor)}
    return (
        found.pop() if len(found) == 1 and not any(obj.marks.get("opaque") is True for obj in objs) else None
    )


def _loaded(given: Given) -> Outcome:
    keys = Items((ANY, ANY), "load_state_dict", ("missing_keys", "unexpected_keys"))
    held = given.obj("state_dict")
    own = (
        held is not None and held.marks.get("state_of") == given["self"] and held.marks.get("stale") is HOLDS
    )
    broken: tuple[Broken, ...] = (
        (Broken("own-state", "state_dict", message="a model's own state is loaded into it"),) if own else ()
    )
    if held is not None:
        broken += shallow(given, "self", (held.marks.get("state_of"), given["self"]))  # type: ignore[arg-type]
    if isinstance(given.const("state_dict"), str):
        broken += (Broken("path-as-state", "state_dict", wanted="a state dict", got="a path"),)
    assigned = given.const("assign", False)
    if assigned is False and "meta" in devices_met(given, given["self"]):
        broken += (Broken("meta-state", "state_dict", wanted="assign=True", got="meta"),)
    effects: tuple[Effect, ...] = (SetMark(given["self"], "loaded", HOLDS),)
    if assigned is not False or broken:  # its tensors are others now, or the fault is told here
        effects += (ReplaceTensors(given["self"], dtype="?", device="?"),)
    if any(o.marks.get("unborn") is HOLDS for o in given.heap.values()):
        effects += (SetMark(given["self"], "unborn", FAILS, deep=True),)
    if held is None or not isinstance(held.marks.get("state_of"), Pointer):  # no copy of a model at work
        effects += (SetMark(given["self"], "settled", HOLDS),)
    return Outcome(keys, broken, effects)


method("state_dict", "destination prefix keep_vars", returns=_state)
method("load_state_dict", "state_dict strict assign", returns=_loaded)


# Registering


def _registered(kind: str, value: str) -> Returns:
    def returns(given: Given) -> Outcome:
        held, name = given.get(value, NONE), given.const("name")
        if not isinstance(name, str):  # under a name that nobody knows
            name = f"?{given.site.ref if given.site else ''}{given.site.turn if given.site else ''}"
        if isinstance(held, Tensor) and kind == "buffer":
            held = replace(held, kind="buffer")
        broken = _wrong_kind(given, kind, value, held) + taken(given, name, kind)
        effects: tuple[Effect, ...] = (SetAttrOf(given["self"], name, held),)
        if kind == "buffer" and given.const("persistent", True) is False:
            effects += (SetMark(given["self"], f"unsaved.{name}", HOLDS),)
        if kind == "buffer":
            effects += (SetMark(given["self"], f"{REGISTERED}{name}", HOLDS),)
        if kind == "module" and _is_container(given):
            effects += (SetItems(given["self"], None, ANY),)
        return Outcome(NONE, broken, effects)

    return returns


def _wrong_kind(given: Given, kind: str, param: str, held: Value) -> tuple[Broken, ...]:
    """What torch does not take for a parameter, a buffer or a module."""
    if kind == "module":
        return refused(given, param, [held])
    plain = isinstance(held, Num | Items) or (isinstance(held, Const) and held != NONE)
    tensor = kind == "parameter" and isinstance(held, Tensor) and held.kind == "tensor" and bool(held.calls)
    if not plain and not tensor:
        return ()
    wanted = "a Parameter" if kind == "parameter" else "a tensor"
    return (Broken("kind", param, wanted=wanted, got="a plain tensor" if tensor else "a plain value"),)


def _is_container(given: Given) -> bool:
    """Whether what is registered is one of its elements too."""
    obj = given.obj()
    return obj is not None and not {"torch.nn.ModuleDict", "torch.nn.ModuleList"}.isdisjoint(
        (obj.cls, *obj.bases)
    )


method("register_buffer", "name tensor persistent", returns=_registered("buffer", "tensor"), tags="")
method("register_parameter", "name param", returns=_registered("parameter", "param"), tags="")
for _name in ("add_module", "register_module"):
    method(_name, "name module", returns=_registered("module", "module"), tags="")
HOOKS = (
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_full_backward_hook",
    "register_full_backward_pre_hook",
    "register_backward_hook",
    "register_load_state_dict_pre_hook",
    "register_load_state_dict_post_hook",
    "register_state_dict_post_hook",
    "register_state_dict_pre_hook",
)


def _hooked(mark: str, how: str) -> Returns:
    def returns(given: Given) -> Outcome:
        module, hook, obj = given["self"], given["hook"], given.obj()
        known = obj.marks.get(mark, Items(())) if obj is not None else None
        effects: tuple[Effect, ...] = (SetMark(module, "hooked", HOLDS), Escape(hook))
        if isinstance(known, Items):
            effects += (SetMark(module, mark, Items((*known.items, hook))),)
        effects += (LookInto(hook, how),)
        return Outcome(Made(Obj(HANDLE, {"module": module})), (), effects)

    return returns


def _unhooked(given: Given) -> Outcome:
    """Which of its module's hooks it was is not kept: none is known from here on."""
    module = given.attr("module")
    return Outcome(NONE, (), tuple(SetMark(module, mark, ANY) for mark in KEPT_HOOKS.values()))


HANDLE = "torch.utils.hooks.RemovableHandle"
KEPT_HOOKS = {"register_forward_hook": "hooks", "register_full_backward_hook": "backward-hooks"}
for _name in HOOKS:
    _how = _hooked(KEPT_HOOKS.get(_name, "other-hooks"), _name)
    method(_name, "hook prepend with_kwargs always_call", returns=_how, tags="hook")
op(f"{HANDLE}.remove", params="self", returns=_unhooked, tags="pure", source=PAGE)


def _compiled(given: Given) -> Outcome:
    full = given.const("fullgraph", False)
    region = Region("compile", "fullgraph" if full is True else "", given.site)
    return Outcome(NONE, (), (SetMark(given["self"], "compiled", region),))


method("compile", "fullgraph dynamic backend mode options disable", returns=_compiled, tags="compiles")
method("extra_repr", returns=lambda given: Some("str"))
