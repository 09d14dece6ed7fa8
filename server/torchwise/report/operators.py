"""The operators that are known, and torch's public functions on tensors that are not: `docs/ops.md`."""

from __future__ import annotations

from torchwise.facts import TorchFacts, facts_for, versions
from torchwise.ops import OPS, Op

MODULES = {  # where torch's functions on tensors are, and how their rows spell them
    "torch": "torch",
    "torch.Tensor": "Tensor",
    "torch.nn.functional": "torch.nn.functional",
    "torch.linalg": "torch.linalg",
    "torch.fft": "torch.fft",
    "torch.special": "torch.special",
}
GROUPS = (  # the first whose prefix a row's first spelling has
    ("Functions and methods", ("torch.", "Tensor.", "operator.")),
    ("Layers", ("torch.nn.",)),
    ("Everything else", ("",)),
)
INTRODUCTION = """# Operators

Written by `make gen` from the tables in `server/torchwise/ops/`. What has a row is known: what it requires,
what it returns (shape, strides, dtype, device), and what autograd keeps of it. What has none is unknown, and
nothing is said about it.

Rows of functions and methods are tested against torch on drawn arguments (`tests/ops`): the same shape,
strides and dtype, and a refusal exactly where torch raises. What is kept for backward is tested by changing
it and running the backward (`tests/facts`). Layers are their function with the layer's attributes, and are
judged the same way.
"""


def operators() -> str:
    facts = facts_for(versions()[-1])
    parts = [INTRODUCTION, *_missing(facts)]
    rows = {op.spellings[0]: op for op in OPS.values()}
    for title, chosen in _grouped(rows).items():
        parts += [f"\n## {title}\n", "| operator | also | result | kept for backward |", "|---|---|---|---|"]
        parts += [_row(op) for op in chosen]
    return "\n".join(parts) + "\n"


def _grouped(rows: dict[str, Op]) -> dict[str, list[Op]]:
    out: dict[str, list[Op]] = {title: [] for title, _ in GROUPS}
    for spelling in sorted(rows):
        layer = spelling.startswith("torch.nn.") and not spelling.startswith("torch.nn.functional.")
        function = spelling.startswith(GROUPS[0][1])
        title = GROUPS[1][0] if layer else GROUPS[0][0] if function else GROUPS[2][0]
        out[title].append(rows[spelling])
    return out


def _row(op: Op) -> str:
    others = ", ".join(f"`{s}`" for s in op.spellings[1:4]) + (" ..." if len(op.spellings) > 4 else "")
    result = f"view of `{op.view}`" if op.view else f"`{op.inplace}`, in place" if op.inplace else ""
    kept = ", ".join(f"`{what.partition('<')[0]}`" for what in op.saves)
    return f"| [`{op.spellings[0]}`]({op.source}) | {others} | {result} | {kept} |"


def _missing(facts: TorchFacts) -> list[str]:
    """Public functions without a row, by module."""
    lines = [f"\n## Coverage of torch {facts.version}\n"]
    lines += ["| module | functions | with a row | without |", "|---|---|---|---|"]
    absent: dict[str, list[str]] = {}
    for module, prefix in MODULES.items():
        names = [n for n, texts in facts.names.get(module, {}).items() if texts and _is_function(n)]
        absent[module] = sorted(n for n in names if f"{prefix}.{n}" not in OPS)
        lines.append(
            f"| {module} | {len(names)} | {len(names) - len(absent[module])} | {len(absent[module])} |"
        )
    for module, names in absent.items():
        if names:
            lines.append(f"\nWithout a row in `{module}`: {', '.join(f'`{n}`' for n in names)}.")
    return lines


def _is_function(name: str) -> bool:
    return not name.startswith("_") and not name[:1].isupper()
