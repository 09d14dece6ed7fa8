"""Coming from TorchFix: which rule takes the place of which code, `docs/from-torchfix.md`."""

from __future__ import annotations

from torchwise.rules import all_rules

# code: what it is about, and the rules that find it; none where that needs saying why
CODES: tuple[tuple[str, str, str], ...] = (
    ("TOR001", "removed functions", "removed-api"),
    ("TOR002", "`require_grad` for `requires_grad`", "requires-grad-typo requires-grad-on-module"),
    ("TOR003", "`checkpoint` without `use_reentrant`", "checkpoint-reentrant"),
    ("TOR004", "imports of removed functions", "removed-api"),
    ("TOR101", "deprecated functions", "deprecated-api init-deprecated jit-deprecated"),
    (
        "TOR102",
        "`torch.load` without `weights_only`",
        "! `True` is the default of the versions that Torchwise knows",
    ),
    ("TOR103", "imports of deprecated functions", "deprecated-api"),
    ("TOR104", "imports of names that are not public", "! a matter of style"),
    ("TOR105", "exports that are not public", "! for torch's own sources"),
    ("TOR106", "`log(1 + x)` for `log1p(x)`", "! a matter of precision, not of being right"),
    ("TOR107", "`exp(x) - 1` for `expm1(x)`", "! a matter of precision, not of being right"),
    ("TOR201", "`pretrained=` of torchvision models", "! not built yet"),
    ("TOR202", "`beta` transforms of torchvision", "! gone with the versions that had them"),
    ("TOR203", "`import torchvision.models as models`", "! a matter of style"),
    ("TOR401", "a `DataLoader` that loads in the main process", "! right for small sets, and for debugging"),
    ("TOR901", "internal imports in torch's own tests", "! for torch's own sources"),
)


def from_torchfix() -> str:
    """The table in markdown."""
    rules = {rule.name: rule for rule in all_rules()}
    out = [
        "# From TorchFix",
        "",
        "TorchFix looks at names; Torchwise follows values. `# noqa` comments with a rule's code or name, "
        "`--select`, `--ignore` and `--fix` work as you know them.",
        "",
        "| TorchFix | about | Torchwise |",
        "|---|---|---|",
    ]
    for code, about, found in CODES:
        if found.startswith("! "):
            there = f"none: {found[2:]}"
        else:
            there = ", ".join(f"[{n}](rules/{rules[n].family}/{n}.md)" for n in found.split())
        out.append(f"| {code} | {about} | {there} |")
    return "\n".join(out) + "\n"
