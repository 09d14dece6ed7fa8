"""Parameters, buffers, and the functions of torch.nn.init that fill them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torchwise.domain.effects import ClearGrads
from torchwise.domain.value import NONE, Items, Obj, Params, Pointer, Site, Some, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS, UNKNOWN, Verdict
from torchwise.ops.optim_groups import params_in
from torchwise.ops.spec import Broken, Given, Outcome, Returns, op


def cleared(given: Given) -> ClearGrads:
    """What `zero_grad(set_to_none=...)` of an optimizer or module does."""
    return ClearGrads(given["self"], zeros=given.const("set_to_none", True) is not True)


TAKEN_FROM = "taken-from"  # mark of a list: the module of which it took the parameters


def sources(heap: Mapping[Site, Obj], value: Value, depth: int = 3) -> Iterator[Pointer]:
    """The modules whose parameters these are: an iterator, a list that a filter left, parameter groups."""
    match value:
        case Params(of):
            yield Pointer(of)
        case Items(items):
            for item in items if depth else ():
                yield from sources(heap, item, depth - 1)
        case Pointer(to) if to in heap and heap[to].cls in ("list", "dict", "generator"):
            obj = heap[to]
            taken = obj.marks.get(TAKEN_FROM)
            if isinstance(taken, Pointer):
                yield taken
            inner = params_in(obj) if obj.cls == "dict" else Items((*(obj.items or ()), obj.each or NONE))
            yield from sources(heap, inner, depth - 1) if depth else ()


def _parameter(given: Given) -> Outcome:
    asked = given.const("requires_grad", True)
    learns = UNKNOWN if asked is ... else Verdict.of(bool(asked))
    value = given.get("data", NONE)
    if not isinstance(value, Tensor):
        return Outcome(Tensor(requires_grad=learns, leaf=HOLDS, kind="parameter"))
    broken: tuple[Broken, ...] = ()
    if (
        learns.holds
        and value.dtype is not None
        and not value.dtype.startswith(("float", "bfloat", "complex"))
    ):
        broken = (Broken("dtype", "data", wanted="a floating dtype", got=value.dtype, because=value),)
    made = Tensor(value.shape, value.strides, value.dtype, value.device, learns, HOLDS, kind="parameter")
    return Outcome(made, broken)


def _buffer(given: Given) -> Value:
    value = given.tensor("data")
    if value is None:
        return Tensor(requires_grad=FAILS, leaf=HOLDS, kind="buffer")
    return Tensor(value.shape, value.strides, value.dtype, value.device, FAILS, HOLDS, kind="buffer")


op(
    "torch.nn.Parameter",
    "torch.nn.parameter.Parameter",
    params="data requires_grad",
    returns=_parameter,
    view="data",
    grad="leaf",
    source="generated/torch.nn.parameter.Parameter.html",
)
op(
    "torch.nn.Buffer",
    "torch.nn.parameter.Buffer",
    params="data persistent",
    returns=_buffer,
    view="data",
    grad="leaf",
    source="generated/torch.nn.parameter.Buffer.html",
)
for _name in ("UninitializedParameter", "UninitializedBuffer"):
    op(
        f"torch.nn.parameter.{_name}",
        f"torch.nn.{_name}",
        params="requires_grad device dtype",
        returns=lambda given: Tensor(leaf=HOLDS, kind="parameter"),
        grad="leaf",
        source="generated/torch.nn.parameter.UninitializedParameter.html",
    )

INITIALISERS = {
    "uniform_": "a b generator",
    "normal_": "mean std generator",
    "trunc_normal_": "mean std a b generator",
    "constant_": "val",
    "ones_": "",
    "zeros_": "",
    "eye_": "",
    "dirac_": "groups",
    "xavier_uniform_": "gain generator",
    "xavier_normal_": "gain generator",
    "kaiming_uniform_": "a mode nonlinearity generator",
    "kaiming_normal_": "a mode nonlinearity generator",
    "orthogonal_": "gain generator",
    "sparse_": "sparsity std generator",
}


def _initialised(name: str) -> Returns:
    """Writes under no_grad and returns the tensor itself, which thereby stays the leaf that it is."""
    least = 2 if name.startswith(("xavier", "kaiming", "orthogonal")) else 0
    exact = 2 if name.startswith(("eye", "sparse")) else 0

    def returns(given: Given) -> Outcome:
        x = given["tensor"]
        if isinstance(x, Tensor) and x.shape is not None:
            if len(x.shape) < least or (exact and len(x.shape) != exact):
                wanted = f"{exact}-d" if exact else f"at least {least}-d"
                return Outcome(
                    x, (Broken("rank", "tensor", wanted=wanted, got=f"{len(x.shape)}-d", because=x),)
                )
        return Outcome(x)

    return returns


for _name, _params in INITIALISERS.items():
    _old = () if _name == "trunc_normal_" else (f"torch.nn.init.{_name[:-1]}",)
    op(
        f"torch.nn.init.{_name}",
        params=f"tensor {_params}",
        returns=_initialised(_name),
        tags="pure init",
        source="nn.init.html",
    )
    for _spelling in _old:
        op(
            _spelling,
            params=f"tensor {_params}",
            returns=_initialised(_name),
            tags="pure init deprecated",
            source="nn.init.html",
        )
op(
    "torch.nn.init.calculate_gain",
    params="nonlinearity param",
    returns=lambda given: Some("float"),
    source="nn.init.html",
)
