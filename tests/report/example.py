"""A run with one finding of every kind, as if made by an engine."""

from __future__ import annotations

from collections.abc import Sequence

from torchwise.findings import Edit, Finding, Fix, Location, Related
from torchwise.report.run import Run
from torchwise.rules.rule import Rule
from torchwise.syntax.span import Span

FOLDER = "/work/project"
MODEL, TRAIN, NOTEBOOK, OUTSIDE = "model.py", "src/train.py", "look.ipynb", "/elsewhere/odd, name:1%.py"

TEXTS = {
    (f"{FOLDER}/{MODEL}", None): "import torch\nx = torch.zeros(2, 3)\ny = x.t()\n\tz = y.view(6)  # 形\n",
    (f"{FOLDER}/{TRAIN}", None): "for batch in loader:\n    loss = model(batch).sum()\n    loss.backward()\n"
    + "a" * 300,
    (f"{FOLDER}/{NOTEBOOK}", 2): "%matplotlib inline\nmodel.train()\n",
    (OUTSIDE, None): "print('\x1b[31m')\n",
}


def at(path: str, row: int, col: int, end_row: int, end_col: int, cell: int | None = None) -> Location:
    whole = path if path.startswith("/") else f"{FOLDER}/{path}"
    return Location(whole, Span(row, col, end_row, end_col), cell)


RULE = Rule(
    "TW301",
    "view-on-non-contiguous",
    "tensors",
    "error",
    "`view` of a tensor whose layout it cannot keep.",
    "It raises.",
    check=lambda _: (),
    url="https://torchwise.readthedocs.io/rules/tensors/view-on-non-contiguous",
)
VIEW = at(MODEL, 4, 5, 4, 14)
FINDINGS = (
    Finding(
        "TW301",
        "view-on-non-contiguous",
        "error",
        "`y` is transposed, so `view` cannot flatten it",
        VIEW,
        related=(
            Related(at(MODEL, 3, 4, 3, 9), "the layout changed here"),
            Related(at(TRAIN, 2, 11, 2, 16), "called here"),
        ),
        fix=Fix("Use `reshape`", (Edit(at(MODEL, 4, 7, 4, 11), "reshape"),)),
        url="https://torchwise.readthedocs.io/rules/tensors/view-on-non-contiguous",
    ),
    Finding(
        "TW101",
        "missing-zero-grad",
        "warning",
        "gradients of the last step are still there: 100% of them\nand more",
        at(TRAIN, 1, 0, 3, 19),
        fix=Fix("Clear them", (Edit(at(TRAIN, 2, 4, 2, 4), "optimizer.zero_grad()\n    "),), safe=False),
    ),
    Finding("TW901", "long-line", "hint", "a long line", at(TRAIN, 4, 200, 4, 204)),
    Finding("TW901", "long-line", "hint", "in a cell", at(NOTEBOOK, 2, 0, 2, 5, cell=2)),
    Finding("TW000", "syntax-error", "error", "`\x1b]0;title\x07` is no Python", at(OUTSIDE, 1, 7, 1, 8)),
    Finding("TW902", "gone", "warning", "its file is gone", at("gone.py", 7, 0, 7, 1)),
)


def run() -> Run:
    def lines(path: str, cell: int | None) -> Sequence[str]:
        return TEXTS.get((path, cell), "").split("\n")

    return Run(FINDINGS, lines, FOLDER, files=9, crashes=("rule `x` raised ValueError",))
