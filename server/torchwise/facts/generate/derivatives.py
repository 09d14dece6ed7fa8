"""What each operator keeps for its backward, from `derivatives.yaml`, read by torch's own code generator.

torchgen already tells a tensor that is kept from one of which only the sizes or the dtype are:
`mul_tensor_backward(grad, other, self.scalar_type())` keeps `other`. A value is kept on condition where a
single gradient needs it: `mul` keeps `self` only if `other` requires grad."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torchgen
from torchgen.api.autograd import (
    DifferentiabilityInfo,
    NativeFunctionWithDifferentiabilityInfo,
    SavedAttribute,
    match_differentiability_info,
)
from torchgen.gen import parse_native_yaml
from torchgen.model import SchemaKind
from torchgen.packaged.autograd.load_derivatives import load_derivatives

PACKAGED = Path(torchgen.__file__).parent / "packaged"
DERIVATIVES = str(PACKAGED / "autograd" / "derivatives.yaml")
NATIVE = str(PACKAGED / "ATen" / "native" / "native_functions.yaml")
TAGS = str(PACKAGED / "ATen" / "native" / "tags.yaml")


@cache
def native_functions() -> list:
    """All operators but those that torch generates from others (`_copy` forms) and the `_foreach` ones."""
    functions = parse_native_yaml(NATIVE, TAGS).native_functions
    return [
        f
        for f in functions
        if "generated" not in f.tags and not str(f.func.name).startswith(("_foreach_", "_test_"))
    ]


def saves() -> dict[str, list[str]]:
    """`{"exp": ["result"], "mul.Tensor": ["other if self", "self if other"]}`; an empty list: nothing kept.

    An operator that is not listed has no derivative of its own: it is not differentiable, or a composite.
    """
    infos, _ = load_derivatives(DERIVATIVES, NATIVE, TAGS)
    table = {}
    for matched in match_differentiability_info(native_functions(), infos):
        # `linear` and `matmul` have a formula too, but for nested tensors alone.
        composite = matched.func.has_composite_implicit_autograd_kernel
        if matched.info and not composite and matched.func.func.kind() != SchemaKind.out:
            info = matched.info["Default"] if "Default" in matched.info else next(iter(matched.info.values()))
            if info.derivatives:
                table[str(matched.func.func.name)] = sorted(saved_by(matched, info))
    return table


def saved_by(matched: NativeFunctionWithDifferentiabilityInfo, info: DifferentiabilityInfo) -> list[str]:
    in_place = matched.func.func.kind() == SchemaKind.inplace
    inputs = [
        f"{saved.expr} if {needing}" if (needing := needed_by(saved, info)) else saved.expr
        for saved in info.all_saved_inputs
        # An operator that works in place keeps a copy of what it overwrites.
        if is_tensor(saved) and not (in_place and saved.expr == "self")
    ]
    return inputs + [name_of(saved) for saved in info.all_saved_outputs if is_tensor(saved)]


def name_of(saved: SavedAttribute) -> str:
    name = saved.nctype.name
    return str(getattr(name, "name", name))


def is_tensor(saved: SavedAttribute) -> bool:
    """Whether the whole tensor is kept (`self`), not something read from it (`self.sym_sizes()`)."""
    return saved.expr == name_of(saved) and "Tensor" in str(saved.nctype.type)


def needed_by(saved: SavedAttribute, info: DifferentiabilityInfo) -> str | None:
    """The one argument whose gradient needs the saved value; None where it is kept in any case.

    Follows `guard_for` of torchgen's `gen_variable_type.py`.
    """
    many = len(info.args_with_derivatives) > 1
    lists = any("Tensor[]" in str(argument.type) for argument in info.args_with_derivatives)
    if not many or lists or "backward" in info.name or "optional" in str(saved.nctype.type).lower():
        return None
    using = [derivative for derivative in info.derivatives if saved in derivative.saved_inputs]
    if len(using) != 1:
        return None
    (derivative,) = using
    if len(derivative.var_names) == 1:
        return str(derivative.var_names[0])
    return wrapped_condition(saved, derivative.formula, derivative.var_names)


def wrapped_condition(saved: SavedAttribute, formula: str, var_names: tuple[str, ...]) -> str | None:
    """`wrap_opt_if(weight, grad_input_mask[0])` keeps `weight` if the first argument needs its gradient."""
    _, _, rest = formula.partition(f"wrap_opt_if({saved.expr},")
    condition = rest.partition(")")[0].split("||")
    if not rest or len(condition) != 1:
        return None
    position = int(condition[0].partition("[")[2].partition("]")[0])
    return var_names[position]
