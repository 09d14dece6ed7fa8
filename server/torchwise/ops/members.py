"""What containers of modules take: modules and None, under names that are strings without dots."""

from __future__ import annotations

from collections.abc import Iterable

from torchwise.domain.value import ANY, Class, Const, Func, Items, Named, Num, Partial, Pointer, Tensor, Value
from torchwise.ops.copying import shares
from torchwise.ops.module_tree import modules_of
from torchwise.ops.spec import OPS, Broken, Given


def refused(given: Given, param: str, values: Iterable[Value]) -> tuple[Broken, ...]:
    """What is certainly no module, nor None: a container of modules does not take it."""
    for number, value in enumerate(values):
        what = _no_module(given, value)
        if what is not None:
            return (Broken("not-module", param, str(number), wanted="a module", got=what),)
    return ()


def _no_module(given: Given, value: Value) -> str | None:
    """What it is instead; None where it may be a module."""
    match value:
        case Named(path) if path in OPS:
            name = path.rpartition(".")[2]
            return f"the class {name}, not an instance" if name[:1].isupper() else f"the function {name}"
        case Class(scope):
            return f"the class {scope.rpartition('::')[2].rpartition('.')[2]}, not an instance"
        case Func(scope):
            name = scope.rpartition("::")[2].rpartition(".")[2]
            return "a lambda" if "lambda" in name else f"the function {name}"
        case Partial():
            return "a partial function"
        case Items():
            return "a tuple"
        case Tensor():
            return "a tensor"
        case Num() | Const(bool() | float() | str()):
            return "a plain value"
        case Pointer(to) if to in given.heap and given.heap[to].cls in ("list", "dict", "set"):
            return f"a {given.heap[to].cls}"
    return None


def repeated(given: Given, param: str, values: Iterable[Value]) -> tuple[Broken, ...]:
    """One layer with parameters that stands in a container several times, as `[layer] * 3` gives it."""
    seen: set[Value] = set()
    for value in values:
        if isinstance(value, Pointer) and value in seen and _learns(given, value):
            return (Broken("repeated", param, got=value, because=value),)
        seen.add(value)
    return ()


def shallow(given: Given, param: str, values: Iterable[Value]) -> tuple[Broken, ...]:
    """A shallow copy with parameters beside its original, or beside another copy of that."""
    seen: dict[Value, Value] = {}
    for value in values:
        first = seen.setdefault(shares(given, value), value)
        if isinstance(value, Pointer) and first != value and _learns(given, value):
            copy = value if shares(given, value) != value else first
            return (Broken("shallow", param, because=copy),)
    return ()


def one_for_all(given: Given, param: str, values: tuple[Value, ...]) -> tuple[Broken, ...]:
    """One layer with parameters under every name, as `dict.fromkeys(names, layer)` gives it."""
    return repeated(given, param, values) if len(set(values)) == 1 else ()


def _learns(given: Given, value: Pointer) -> bool:
    modules = modules_of(given, value)
    tensors = (v for m in modules or () for v in given.heap[m.to].attrs.values())
    return any(isinstance(v, Tensor) and v.kind == "parameter" for v in tensors)


def bad_names(keys: Iterable[Value], cls: str = "") -> tuple[Broken, ...]:
    """A module's name is a string without dots, and nothing that the container has already."""
    for key in keys:
        if isinstance(key, Num):
            return (Broken("argument", "modules", wanted="strings as keys", got=f"the number {key.dim}"),)
        if not isinstance(key, Const) or not isinstance(key.value, str):
            continue
        if "." in key.value:
            return (Broken("argument", "modules", wanted="keys without dots", got=f'"{key.value}"'),)
        if key.value in OF_MODULES or key.value in OF_CLASS.get(cls, ()):
            return (Broken("name-taken", "modules", got=key.value),)
    return ()


def taken(given: Given, name: str, kind: str) -> tuple[Broken, ...]:
    """A name under which a module is to register a "buffer", "parameter" or "module", and which it uses for
    something else: torch refuses it.
    """
    obj = given.obj()
    if obj is None or given.const("name") != name:
        return ()
    if name in OF_MODULES or any(name in OF_CLASS.get(cls, ()) for cls in (obj.cls, *obj.bases)):
        return (Broken("name-taken", "name", got=name),)
    held = obj.attrs.get(name)
    if obj.marks.get("opaque") is True or held is None or held is ANY:
        return ()
    buffer = f"{REGISTERED}{name}" in obj.marks
    what = ("a buffer" if kind != "buffer" else "") if buffer else _other_than(kind, held)
    return (Broken("name-taken", "name", wanted=what, got=name),) if what else ()


def _other_than(kind: str, held: Value) -> str:
    """What an attribute certainly is, where that is not what is to be registered."""
    match held:
        case Const(None):  # once a parameter or a module, perhaps
            return "an attribute that is None" if kind == "buffer" else ""
        case Tensor(kind="tensor") | Num() | Items() | Const():
            return "an attribute"
        case Tensor(kind="parameter" | "buffer" as other) if other != kind:
            return f"a {other}"
        case Pointer() if kind != "module":
            return "an object"
    return ""


REGISTERED = "registered."  # mark of a module: there is a buffer of this name, None perhaps
OF_MODULES = frozenset((
    "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "compile",
    "cpu", "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer",
    "get_extra_state", "get_parameter", "get_submodule", "half", "ipu", "load_state_dict", "modules",
    "mtia", "named_buffers", "named_children", "named_modules", "named_parameters", "parameters",
    "register_backward_hook", "register_buffer", "register_forward_hook", "register_forward_pre_hook",
    "register_full_backward_hook", "register_full_backward_pre_hook", "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook", "register_module", "register_parameter",
    "register_state_dict_post_hook", "register_state_dict_pre_hook", "requires_grad_", "set_extra_state",
    "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train", "training", "type", "xpu",
    "zero_grad",
))  # fmt: skip
OF_DICTS = frozenset(("clear", "items", "keys", "pop", "update", "values"))
OF_CLASS = {
    "torch.nn.ModuleDict": OF_DICTS,
    "torch.nn.ParameterDict": OF_DICTS | {"copy", "fromkeys", "get", "popitem", "setdefault"},
    "torch.nn.Sequential": frozenset(("append", "extend", "insert", "pop")),
}
