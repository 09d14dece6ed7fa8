"""What a parameter that nobody passes is likely to be, and certain enough to speak of.

In this order: its annotation, its name. A role gives no sizes and no typestate: an unknown module in an
unknown mode, an optimizer of unknown parameters, a tensor of unknown shape. An annotation counts by what its
name was imported from: a `Tensor` of another framework, or of the project, is none of torch's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from torchwise.domain.dim import Dim
from torchwise.domain.value import ANY, Class, Module, Named, Num, Obj, Pointer, Site, Some, Tensor, Value
from torchwise.domain.verdict import UNKNOWN
from torchwise.flow.annotations import promised, tensor_in
from torchwise.flow.definitions import Definitions
from torchwise.flow.names import lookup, take
from torchwise.flow.run import Run
from torchwise.flow.state import GRAD_UNKNOWN, State
from torchwise.ir import nodes as ir
from torchwise.ir.nodes import Param

MODULE, OPTIMIZER, LOADER = "torch.nn.Module", "torch.optim.Optimizer", "torch.utils.data.DataLoader"
SCHEDULER, SCALER = "torch.optim.lr_scheduler.LRScheduler", "torch.amp.GradScaler"

BY_ANNOTATION = {
    "Tensor": "tensor",
    "FloatTensor": "tensor",
    "LongTensor": "tensor",
    "Module": MODULE,
    "Optimizer": OPTIMIZER,
    "DataLoader": LOADER,
    "GradScaler": SCALER,
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
}
BY_NAME = (
    (
        re.compile(
            r"^(model|net|network|module|encoder|decoder|generator|discriminator|critic|actor|policy_net|backbone)$"
        ),
        MODULE,
    ),
    (re.compile(r"^(optimizer|optim|opt|opt_[a-zA-Z]|optimizer_[a-zA-Z])$"), OPTIMIZER),
    (re.compile(r"^((train|val|valid|validation|test|eval)_?)?(loader|dataloader|data_loader|dl)$"), LOADER),
)
SIZE = re.compile(
    r"^((in|out|hidden|embed|embedding|input|output|head|model|latent|feature|vocab|action|state|obs|num|n)_?)?"
    r"(dim|dims|size|channels?|features|heads|classes|planes|width|hidden|tokens|words|units|d_model|nhead|vocab|embed)$"
)
_TYPE = re.compile(r"(?:\w+\.)*(\w+)$")


def role_of(run: Run, state: State, param: Param, site: Site) -> Value:
    """The value of a parameter by its role; ANY where it has none."""
    scope_key = run.key
    kept = promised(param.annotation, site, scope_key)
    if kept is not None:
        return kept if _is_ours(run, state, tensor_in(param.annotation)) else ANY
    kind = _annotated(run, state, param.annotation)
    if kind is None and param.annotation is None:
        kind = _size(param, scope_key) or next(
            (role for pattern, role in BY_NAME if pattern.match(param.name)), None
        )
    match kind:
        case None:
            return ANY
        case "tensor":
            return Tensor(id=site, storage=site, requires_grad=UNKNOWN, leaf=UNKNOWN)
        case "int":
            return Num(Dim.of(f"{param.name}@{scope_key}"))
        case "float" | "bool" | "str":
            return Some(kind)
    return unknown_object(state, kind, site)


UNDERSTOOD = ("torch.", "builtins.", "abc.", "enum.", "typing.")  # bases that call no method of ours
EVALUATES = re.compile(
    r"(^|_)(eval|evaluate|evaluation|validate|validation|val|test|predict|prediction)(_|$)"
)


def left_to_base(order: tuple[str, ...]) -> bool:
    """Whether a class derives from one of another library, which calls its methods in a mode of its own."""
    return any("::" not in path and not path.startswith(UNDERSTOOD) for path in order)


TENSOR_METHODS = frozenset((
    "addmm", "backward", "bmm", "chunk", "clamp", "contiguous", "detach", "dim", "expand", "flatten",
    "gather", "is_contiguous", "is_cuda", "log_softmax", "masked_fill", "matmul", "mT", "narrow",
    "new_zeros", "numel", "permute", "relu", "requires_grad", "scatter_add", "sigmoid", "size",
    "softmax", "tanh", "topk", "type_as", "unbind", "unfold", "unsqueeze", "view", "view_as",
    "expand_as", "unflatten", "masked_fill_",
))  # fmt: skip
# Of a tensor's attributes, those that are not called.
PROPERTIES = frozenset(("T", "dtype", "is_cuda", "mT", "ndim", "requires_grad", "shape"))
ARRAY_METHODS = frozenset((
    "abs", "all", "any", "argmax", "cumsum", "dtype", "exp", "item", "max", "mean", "min", "ndim",
    "pow", "prod", "reshape", "shape", "sort", "split", "sqrt", "squeeze", "std", "sum", "T", "tolist",
    "transpose", "var", "norm", "log",
))  # fmt: skip


def used_as_tensor(defs: Definitions, name: str, in_tensor_code: bool) -> bool:
    """Whether a parameter can only be a tensor, from what is asked of it: methods, which are called, and
    not what a settings object may have too (`args.dim`).

    Names that arrays have too count where tensors alone go: in a module's forward, in compiled code.
    """
    asked = _asked(defs).get(name)
    if not asked:
        return False
    if asked & TENSOR_METHODS:
        return "keys" not in asked and "items" not in asked
    return in_tensor_code and bool(asked & ARRAY_METHODS) and "keys" not in asked and "append" not in asked


_ASKED: WeakKeyDictionary[Definitions, Mapping[str, frozenset[str]]] = WeakKeyDictionary()


def _asked(defs: Definitions) -> Mapping[str, frozenset[str]]:
    """The attributes that are asked of each name before it is bound again."""
    known = _ASKED.get(defs)
    if known is None:
        loads: dict[int, str] = {}
        bound: set[str] = set()
        asked: dict[str, set[str]] = {}
        called = {i.callee for i in defs.values() if isinstance(i, ir.Call)}
        for ref in sorted(defs):
            match defs[ref]:
                case ir.Load(name=name) if name not in bound:
                    loads[ref] = name
                case ir.Store(name=name):
                    bound.add(name)
                case ir.Attr(base=base, name=attribute) if base in loads and (
                    ref in called or attribute in PROPERTIES
                ):
                    asked.setdefault(loads[base], set()).add(attribute)
        known = _ASKED[defs] = {name: frozenset(found) for name, found in asked.items()}
    return known


def unknown_object(state: State, cls: str, site: Site) -> Pointer:
    bases = (MODULE,) if cls == MODULE else (OPTIMIZER,) if cls == OPTIMIZER else ()
    marks: dict[str, object] = {"opaque": True}
    if cls == MODULE:
        marks["training"] = UNKNOWN
    attrs: dict[str, Value] = {"params": ANY} if cls == OPTIMIZER else {}
    items, each = ((), None) if cls != LOADER else (None, ANY)
    state.heap[site] = Obj(cls, attrs, items, each, marks, bases)
    state.grads[site.of("*")] = GRAD_UNKNOWN
    return Pointer(site)


def says_tensor(run: Run, state: State, annotation: str) -> bool:
    """Whether an annotation says that something is a tensor of torch."""
    return _annotated(run, state, annotation) == "tensor"


def _annotated(run: Run, state: State, annotation: str | None) -> str | None:
    if annotation is None:
        return None
    text = annotation.strip("'\"").removesuffix("| None").strip()
    found = _TYPE.match(text)
    kind = BY_ANNOTATION.get(found.group(1)) if found else None
    return kind if kind is not None and _is_ours(run, state, text) else None


def _is_ours(run: Run, state: State, dotted: str) -> bool:
    """Whether a name in an annotation stands for something of torch or Python, as far as imports tell."""
    first, *rest = dotted.split(".")
    value = lookup(run, state, first)
    for name in rest:
        match value:
            case Named(path):
                value = Named(f"{path}.{name}")
            case Module(path):
                value = take(state, run.lookup.imported(run.key, f"{path}:{name}"))
            case _:
                value = ANY
    match value:
        case Named(path):
            return path.startswith(("torch.", "builtins."))
        case Class(key):
            facts = run.lookup.class_facts(key)
            return facts is not None and any(path.startswith("torch.") for path in facts.order)
    return True  # nothing says what it is


def _size(param: Param, scope_key: str) -> str | None:
    """The sizes that a module is built from are ints, by the names that everybody gives them."""
    return "int" if scope_key.endswith(".__init__") and SIZE.match(param.name) else None
