"""What the schemas in `native_functions.yaml` annotate: views, aliases, arguments written to, and tags."""

from __future__ import annotations

from torchgen.model import NativeFunction, SchemaKind

from torchwise.facts.generate.derivatives import native_functions

# Tags that a rule or an operator's row can use; the others speak to compiler writers.
TAGS = (
    "data_dependent_output",
    "dynamic_output_shape",
    "inplace_view",
    "nondeterministic_bitwise",
    "nondeterministic_seeded",
    "pointwise",
    "reduction",
)


def composites() -> list[str]:
    """Operators put together from others, so that autograd sees those and not them."""
    return sorted(str(f.func.name) for f in functional() if f.has_composite_implicit_autograd_kernel)


def views() -> dict[str, str]:
    """Operator to the argument of which its result is certainly a view."""
    return {
        str(f.func.name): source
        for f in functional()
        if f.is_view_op and not f.has_composite_implicit_autograd_kernel and (source := alias_source(f))
    }


def aliases() -> dict[str, str]:
    """The same for composite operators; theirs may also be new (`reshape`) or the argument (`to`)."""
    return {
        str(f.func.name): source
        for f in functional()
        if f.has_composite_implicit_autograd_kernel and (source := alias_source(f))
    }


def mutations() -> dict[str, list[str]]:
    """Operator to the arguments that it writes to; `out=` forms are left out, they all write to `out`."""
    table = {}
    for f in native_functions():
        if f.func.kind() != SchemaKind.out:
            written = [a.name for a in f.func.arguments.flat_all if a.annotation and a.annotation.is_write]
            if written:
                table[str(f.func.name)] = written
    return table


def tags() -> dict[str, list[str]]:
    return {tag: sorted(str(f.func.name) for f in functional() if tag in f.tags) for tag in TAGS}


def functional() -> list[NativeFunction]:
    return [f for f in native_functions() if f.func.kind() != SchemaKind.out]


def alias_source(f: NativeFunction) -> str | None:
    returned = {letter for r in f.func.returns if r.annotation for letter in r.annotation.alias_set}
    for argument in f.func.arguments.flat_all:
        annotation = argument.annotation
        if annotation and not annotation.is_write and returned & set(annotation.alias_set):
            return str(argument.name)
    return None
