"""Softmax or sigmoid is applied before a loss that applies softmax again.

`cross_entropy` takes raw scores and does log-softmax itself. Probabilities lie between 0 and 1, so softmax
over them is
almost flat: the loss cannot come near 0 and gradients are weak. `log_softmax` before it changes nothing.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
"""

import re
from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, delete_statement, replace_with, unwrap
from torchwise.rules.vocabulary import WARNING, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW701", WARNING, "04-neural-networks/losses#cross-entropy"

EXAMPLES = [
    Example(
        bad="""
            probabilities = F.softmax(scores, dim=-1)
            loss = F.cross_entropy(probabilities, target)
                                   ^^^^^^^^^^^^^ holds probabilities
            """,
        good="""
            probabilities = F.softmax(scores, dim=-1)
            loss = F.cross_entropy(scores, target)
            """,
        setup="""
            import torch
            import torch.nn.functional as F

            scores = torch.tensor([[9.0, 0.0, 0.0]])
            target = torch.tensor([0])
            """,
        harm=lambda bad, good: bad["loss"] > 0.5 and good["loss"] < 0.01,  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import torch.nn.functional as F

    def loss(scores, target):
        return F.cross_entropy(F.log_softmax(scores, dim=-1), target)  # doing it twice changes nothing
    """,
    """
    import torch.nn.functional as F

    def loss(scores, target):
        return F.nll_loss(F.log_softmax(scores, dim=-1), target)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loss in scope.calls_to("cross_entropy"):
        scores = loss["input"]
        nature = scores.nature if scores else None
        if scores is None or nature not in ("probabilities", "sigmoid"):
            continue
        function = "sigmoid" if nature == "sigmoid" else "softmax"
        yield scores.flag(
            f"`{scores.text}` holds probabilities: it went through {function}, and cross_entropy applies "
            "softmax itself",
            because=tuple((site, "made here") for site in scores.origins[:1]),
            fix=_raw(scope, scores, function),
        )


def _raw(scope: Reading, scores: Operand, function: str) -> FixPlan | None:
    """The scores themselves for what was made of them, and no call of the function for this alone."""
    places = scores.origins
    if len(places) != 1 or CALLED.search(scope.text_at(places[0])) is None:
        return None
    made, title = places[0], f"Take the {function} away"
    call = scope.call_at(made)
    if call is None:
        return unwrap(made, title)
    part = "self" if call.spelling.startswith("Tensor.") else "input"
    source, alone = call[part], scope.only_used_at(call.ref, scores.ref)
    if call.ref == scores.ref:
        return unwrap(made, title, "self" if part == "self" else "input:0")
    if source is None or not scope.means_the_same(source.ref, scores.ref):
        return unwrap(made, title, "self" if part == "self" else "input:0") if alone else None
    plan = replace_with(scores.at, source.text, f"Use `{source.text}`", safe=False)
    return plan.and_also(delete_statement(call.at, plan.title, safe=False)) if alone else plan


CALLED = re.compile(r"^[\w.]*(softmax|sigmoid)\(|\.(softmax|sigmoid)\([^()]*\)$")
