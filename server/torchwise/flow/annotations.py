"""Shapes that an annotation promises, in jaxtyping's notation: `x: Float[Tensor, "batch 3 height width"]`.

A promise is taken at its word where nobody passes the parameter. A name is one size wherever it stands in the
signature; `*batch`, `...` and arithmetic are axes that nothing is known of.
"""

from __future__ import annotations

import re

from torchwise.domain.dim import Dim
from torchwise.domain.value import Shape, Site, Tensor
from torchwise.domain.verdict import UNKNOWN

_PROMISE = re.compile(r"""(?:\w+\.)*(\w+)\[\s*((?:\w+\.)*Tensor)\s*,\s*(?:"([^"]*)"|'([^']*)')\s*\]$""")
DTYPES = {
    "Float16": "float16", "BFloat16": "bfloat16", "Float32": "float32", "Float64": "float64", "Bool": "bool",
    "UInt8": "uint8", "Int8": "int8", "Int16": "int16", "Int32": "int32", "Int64": "int64",
    "Complex64": "complex64", "Complex128": "complex128",
}  # fmt: skip
KINDS = frozenset(("Float", "Int", "Integer", "Num", "Real", "Inexact", "Complex", "Shaped", "UInt", *DTYPES))


def promised(annotation: str | None, site: Site, scope_key: str) -> Tensor | None:
    """The tensor that a parameter is said to be; None where its annotation says nothing of a shape."""
    found = _PROMISE.match(annotation.strip()) if annotation is not None else None
    if found is None or found[1] not in KINDS:
        return None
    shape = _shape((found[3] or found[4] or "").split(), scope_key)
    dtype = DTYPES.get(found[1])
    return Tensor(shape, None, dtype, requires_grad=UNKNOWN, leaf=UNKNOWN, id=site, storage=site)


def tensor_in(annotation: str | None) -> str:
    """What the promise calls a tensor: `torch.Tensor` of `Float[torch.Tensor, "rows"]`."""
    found = _PROMISE.match((annotation or "").strip())
    return found[2] if found is not None else ""


def _shape(axes: list[str], scope_key: str) -> Shape | None:
    out: list[Dim] = []
    for number, axis in enumerate(axes):
        name = axis.partition("=")[2] or axis  # `rows=4`: a size with a comment
        if axis.startswith("*") or axis == "...":
            return None
        if name.isdigit():
            out.append(Dim.of(int(name)))
        elif name.isidentifier() and not name.startswith("_"):
            out.append(Dim.of(f"{name}@{scope_key}"))
        else:  # `_`, `#b`, `b+1`
            out.append(Dim.of(f"?{number}@{scope_key}"))
    return tuple(out)
