"""torch.nn.utils: parameters as vectors, norms of weights, pruning, fusing; and batches of sequences of
unequal length."""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Escape, Invoke, SetAttrOf, SetMark
from torchwise.domain.nature import PADDED, PADDED_TIME_FIRST
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import (
    ANY,
    NONE,
    Const,
    Func,
    Items,
    Named,
    Num,
    Obj,
    Pointer,
    Some,
    Tensor,
    Value,
    Wrapped,
)
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict
from torchwise.ops.agreement import axis
from torchwise.ops.iterables import elements
from torchwise.ops.layers import part
from torchwise.ops.layers_recurrent import PACKED
from torchwise.ops.module_tree import modules_of
from torchwise.ops.sensitive import mode_matters
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

UTILS = "torch.nn.utils."


def _row(name: str, params: str, returns: Returns, *more: str, tags: str = "pure", grad: str = "cut") -> None:
    page = f"generated/{UTILS}{name}.html"
    op(UTILS + name, *more, params=params, returns=returns, tags=tags, grad=grad, source=page)


# Parameters and modules


def _module(given: Given) -> Value:
    return given["module"]


def replaces(given: Given) -> Outcome:
    """New parameters take the place of old ones, which an optimizer may hold."""
    obj = given.obj("module")
    if obj is None or obj.marks.get("held") is not HOLDS:
        return Outcome(given["module"])
    at = obj.marks.get("held@")
    return Outcome(
        given["module"], (Broken("held", "module", because=at if isinstance(at, Pointer) else None),)
    )


_row(
    "parameters_to_vector",
    "parameters",
    lambda given: Tensor((given.fresh("parameters"),), (Dim.of(1),)),
    UTILS + "convert_parameters.parameters_to_vector",
    grad="record",
)
_row(
    "vector_to_parameters",
    "vec parameters",
    lambda given: NONE,
    UTILS + "convert_parameters.vector_to_parameters",
)


def _computed(how: Returns, holds: bool = True) -> Returns:
    """From now on the tensor of that name is computed from others each time it is needed."""

    def returns(given: Given) -> Outcome:
        made = how(given)
        outcome = made if isinstance(made, Outcome) else Outcome(made)
        name = given.const("tensor_name" if "tensor_name" in given else "name", "weight")
        mark = SetMark(given["module"], "computed", name if holds else None)
        return Outcome(outcome.result, outcome.broken, (*outcome.effects, mark))

    return returns


for _name, _params in (
    ("weight_norm", "module name dim"),
    ("spectral_norm", "module name n_power_iterations eps dim"),
    ("remove_weight_norm", "module name"),
    ("remove_spectral_norm", "module name"),
):
    _how = _computed(_module if _name != "weight_norm" else replaces, "remove" not in _name)
    _row(_name, _params, _how, tags="pure parametrizes deprecated")


def _by_another(given: Given) -> Outcome:
    """A parametrization may have parameters: whether what it computes has a graph is not known."""
    obj, name = given.obj("module"), given.const("tensor_name")
    tensor = obj.attrs.get(name) if obj is not None and isinstance(name, str) else None
    if not isinstance(tensor, Tensor) or not isinstance(name, str):  # it may be a weight of any module
        return Outcome(given["module"], (), (SetAttrOf(ANY, "requires_grad", ANY),))
    computed = replace(tensor, requires_grad=UNKNOWN)
    return Outcome(given["module"], (), (SetAttrOf(given["module"], name, computed),))


def _parametrized(how: Returns, holds: bool = True) -> Returns:
    """Its tensor is computed from now on, and what is assigned to it goes to what it is computed from."""

    def returns(given: Given) -> Outcome:
        made = how(given)
        outcome = made if isinstance(made, Outcome) else Outcome(made)
        mark = SetMark(given["module"], "parametrized", holds)
        return Outcome(outcome.result, outcome.broken, (*outcome.effects, mark))

    return returns


for _name, _params in (
    ("parametrizations.weight_norm", "module name dim"),
    ("parametrizations.spectral_norm", "module name n_power_iterations eps dim"),
    ("parametrizations.orthogonal", "module name orthogonal_map use_trivialization"),
    ("parametrize.register_parametrization", "module tensor_name parametrization unsafe"),
    ("parametrize.remove_parametrizations", "module tensor_name leave_parametrized"),
):
    _holds = "remove" not in _name
    _named = {"parametrizations.weight_norm": replaces, "parametrize.register_parametrization": _by_another}
    _how = _parametrized(_named.get(_name, _module), _holds)
    _row(_name, _params, _computed(_how, _holds), tags="pure parametrizes")


def _is_parametrized(given: Given) -> Value:
    obj = given.obj("module")
    mark = None if obj is None else obj.marks.get("parametrized", None if "opaque" in obj.marks else False)
    return Const(mark) if isinstance(mark, bool) else Some("bool")


_row("parametrize.is_parametrized", "module tensor_name", _is_parametrized)


def _pruned(mark: Verdict) -> Returns:
    held = mark is HOLDS

    def returns(given: Given) -> Outcome:
        module, name = given["module"], given.const("name")
        computed = SetMark(module, "computed", name if held else None)
        return Outcome(module, (), (SetMark(module, "pruned", mark), computed))

    return returns


def _pruned_all(given: Given) -> Outcome:
    """A list of modules with the name of a parameter each."""
    pairs = [v.items[0] for v in given.list("parameters") or () if isinstance(v, Items) and v.items]
    return Outcome(NONE, (), tuple(SetMark(m, "pruned", HOLDS) for m in pairs))


for _name, _params in (
    ("prune.l1_unstructured", "module name amount importance_scores"),
    ("prune.random_unstructured", "module name amount"),
    ("prune.ln_structured", "module name amount n dim importance_scores"),
    ("prune.random_structured", "module name amount dim"),
    ("prune.custom_from_mask", "module name mask"),
    ("prune.identity", "module name"),
    ("prune.remove", "module name"),
):
    _row(_name, _params, _pruned(FAILS if _name == "prune.remove" else HOLDS), tags="pure prunes")
_row(
    "prune.global_unstructured",
    "parameters pruning_method importance_scores",
    _pruned_all,
    tags="pure prunes",
)
_row("prune.is_pruned", "module", lambda given: Some("bool"))


def _fused(first: str) -> Returns:
    """torch asserts that both are in eval mode."""

    def returns(given: Given) -> Outcome:
        for name in (first, "bn"):
            obj = given.obj(name)
            if obj is not None and obj.marks.get("training") is HOLDS:
                return Outcome(ANY, (Broken("mode", name, wanted="eval mode", got="train mode"),))
        return Outcome(ANY)

    return returns


_row("fuse_conv_bn_eval", "conv bn transpose", _fused("conv"), UTILS + "fusion.fuse_conv_bn_eval")
_row("fuse_linear_bn_eval", "linear bn", _fused("linear"), UTILS + "fusion.fuse_linear_bn_eval")
for _name in ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"):
    _row(_name, "module memory_format", _module)
op(
    "torch.func.functional_call",
    params="module parameter_and_buffer_dicts args kwargs",
    returns=lambda given: ANY,
    source="generated/torch.func.functional_call.html",
)
op(
    "torch.nn.utils.stateless.functional_call",
    params="module parameters_and_buffers args kwargs",
    returns=lambda given: ANY,
    source="generated/torch.func.functional_call.html",
)
op(
    "torch.func.stack_module_state",
    params="models",
    returns=lambda given: ANY,
    grad="cut",
    tags="pure",
    source="generated/torch.func.stack_module_state.html",
)


# Checkpointing: the function is called now, and once more in backward


def _checkpointed(given: Given) -> Outcome:
    func, args = given["function"], given.get("args", Items(()))
    values = args.items if isinstance(args, Items) else (args,)
    if isinstance(func, Func | Wrapped | Pointer | Named):
        return Outcome(ANY, drawn_anew(given, func), (Invoke(func, values),))
    return Outcome(ANY, (), tuple(Escape(v) for v in values))


def drawn_anew(given: Given, module: Value) -> tuple[Broken, ...]:
    """Dropout at work in what is run once more without the state of the generator that it had."""
    off = [mode for kind, mode in given.regions if kind == "grad"][-1:]
    if given.const("preserve_rng_state", True) is not False or off not in ([], ["on"]):
        return ()
    for one in modules_of(given, module) or ():
        obj = given.heap[one.to]
        at_work = obj.marks.get("training") is HOLDS and mode_matters(obj)
        if at_work and "torch.nn.modules.dropout._DropoutNd" in obj.bases:
            return (Broken("drawn-anew", "preserve_rng_state", wanted="True", got="False", because=one),)
    return ()


op(
    "torch.utils.checkpoint.checkpoint",
    params="function *args use_reentrant context_fn determinism_check debug preserve_rng_state",
    returns=_checkpointed,
    tags="checkpoint",
    source="checkpoint.html",
)
op(
    "torch.utils.checkpoint.checkpoint_sequential",
    params="functions segments input use_reentrant preserve_rng_state",
    returns=lambda given: Outcome(ANY, drawn_anew(given, given["functions"])),
    tags="checkpoint",
    source="checkpoint.html",
)


# Sequences of unequal length


def _padded(given: Given) -> Outcome:
    """(longest, batch, ...) of a list of (length, ...), or batch first."""
    found, first = elements(given, given["sequences"]), given.const("batch_first", False)
    if not isinstance(found, tuple) or not found or first is ...:
        return Outcome(_unknown_batch(found))
    tensors = [t for t in found if isinstance(t, Tensor) and t.shape]
    if len(tensors) != len(found):
        return Outcome(Tensor())
    shapes = [t.shape for t in tensors if t.shape is not None]
    one = tensors[0]
    for tensor, shape in zip(tensors, shapes):
        if len(shape) != len(shapes[0]):
            return Outcome(
                Tensor(), (Broken("rank", "sequences", wanted=f"{len(shapes[0])}-d", got=f"{len(shape)}-d"),)
            )
        for i, (a, b) in enumerate(zip(shapes[0][1:], shape[1:])):
            clash = axis("sequences", str(i + 1), a, b, tensor)
            if clash:
                return Outcome(Tensor(), clash)
    lengths = [s[0] for s in shapes]
    known = [n.number for n in lengths]
    longest = lengths[0] if len(set(lengths)) == 1 else given.fresh("longest")
    if None not in known:
        longest = Dim.of(max(n for n in known if n is not None))
    count = Dim.of(len(shapes))
    whole = (count, longest, *shapes[0][1:]) if first else (longest, count, *shapes[0][1:])
    dtype = one.dtype if all(t.dtype == one.dtype for t in tensors) else None
    return Outcome(Tensor(whole, contiguous_strides(whole), dtype, one.device))


def _unknown_batch(found: object) -> Tensor:
    each = getattr(found, "each", None)
    if isinstance(each, Tensor) and each.shape is not None:
        return Tensor(None, None, each.dtype, each.device)
    return Tensor()


def _packed(given: Given) -> Outcome:
    x = given.tensor("input")
    broken: tuple[Broken, ...] = ()
    lengths = given.list("lengths")
    numbers = [v.dim.number for v in lengths or () if isinstance(v, Num) and v.dim.number is not None]
    if lengths and len(numbers) == len(lengths):
        if given.const("enforce_sorted", True) is True and numbers != sorted(numbers, reverse=True):
            broken += (
                Broken("argument", "lengths", "enforce_sorted", wanted="sorted lengths", got="unsorted ones"),
            )
        if min(numbers) <= 0:
            broken += (Broken("argument", "lengths", wanted="at least 1", got=min(numbers)),)
    on_device = given.tensor("lengths")
    if on_device is not None and on_device.device is not None and on_device.device != "cpu":
        broken += (Broken("device", "lengths", wanted="cpu", got=on_device.device, because=on_device),)
    dtype = x.dtype if x is not None else None
    return Outcome(Made(_sequence(dtype)), broken)


def _sequence(dtype: str | None) -> Obj:
    return Obj(PACKED, {"data": Tensor(dtype=dtype), "batch_sizes": Tensor(dtype="int64", device="cpu")})


def _unpacked(given: Given) -> Value:
    """A 3-d batch at least, and the lengths on the CPU."""
    first = given.const("batch_first", False)
    nature = None if first is ... else PADDED if first else PADDED_TIME_FIRST
    return Items((Tensor(nature=nature), Tensor((given.fresh("batch"),), (Dim.of(1),), "int64", "cpu")))


RNN = "rnn."
_row(RNN + "pad_sequence", "sequences batch_first padding_value padding_side", _padded, grad="record")
_row(RNN + "pack_padded_sequence", "input lengths batch_first enforce_sorted", _packed, grad="record")
_row(RNN + "pack_sequence", "sequences enforce_sorted", lambda given: Made(_sequence(None)), grad="record")
_row(RNN + "pad_packed_sequence", "sequence batch_first padding_value total_length", _unpacked, grad="record")
_row(RNN + "unpad_sequence", "padded_sequences lengths batch_first", lambda given: ANY, grad="record")
_row(RNN + "unpack_sequence", "packed_sequences", lambda given: ANY, grad="record")
_ = Const, part
