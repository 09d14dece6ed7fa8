"""Figures that are watched while a model learns, by their names: which of them are better when they rise."""

import re

RISES = re.compile(
    r"(^|_)(acc|accuracy|f1|auc|auroc|iou|miou|dice|bleu|psnr|ssim|recall|precision|reward)(_|\d|$)",
    re.IGNORECASE,
)
FALLS = re.compile(
    r"(^|_)(loss|losses|error|mae|mse|rmse|perplexity|ppl|nll|wer|cer|fid)(_|\d|$)", re.IGNORECASE
)
TURNED = re.compile(r"neg|minus|inv|worst|max|min", re.IGNORECASE)
NAMED = re.compile(r"(?:[\w.]*\.)?(\w+)(?:\[['\"](\w+)['\"]\])?(?:\.item\(\))?")
CALLED = re.compile(r"(?:[\w.]*\.)?(\w+)\([^()]*\)")


def named(text: str) -> str:
    """What an expression is called: `acc`, `metrics["val_acc"]`, `self.accuracy(loader)`; "" of all else."""
    found = NAMED.fullmatch(text) or CALLED.fullmatch(text)
    return next((group for group in reversed(found.groups()) if group), "") if found else ""


def rises(name: str) -> bool:
    """Better when higher, as far as its name goes, and nothing in it says otherwise."""
    return RISES.search(name) is not None and not FALLS.search(name) and not TURNED.search(name)


def falls(name: str) -> bool:
    return FALLS.search(name) is not None and not RISES.search(name) and not TURNED.search(name)
