"""`torch.utils.checkpoint` is called without `use_reentrant`.

The default is still the old, reentrant variant, and warns. It runs the function without a graph, so a part
whose inputs
need no gradient (the first stage of a model) gets no gradients at all, and its weights never learn. Torch
asks for the
argument to be given. Behind `if x.requires_grad` either variant does its work; `use_reentrant=False` is the recommended variant.

Source: https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW903", WARNING, "16-checkpointing/recomputing#two-variants"

SETUP = """
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    stem, head = nn.Linear(4, 4), nn.Linear(4, 1)
    images = torch.ones(2, 4)
    """


def _stem_learns_nothing(bad: dict[str, object], good: dict[str, object]) -> bool:
    kept, lost = good["stem"].weight.grad, bad["stem"].weight.grad  # type: ignore[attr-defined]
    return lost is None and kept is not None


EXAMPLES = [
    Example(
        bad="""
            loss = head(checkpoint(stem, images, use_reentrant=True)).sum()
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ none of its inputs needs a gradient
            loss.backward()
            """,
        good="""
            loss = head(checkpoint(stem, images, use_reentrant=False)).sum()
            loss.backward()
            """,
        setup=SETUP,
        harm=_stem_learns_nothing,
    ),
    Example(
        bad="""
            loss = head(checkpoint(stem, images)).sum()
                        ^^^^^^^^^^^^^^^^^^^^^^^^ `use_reentrant`
            loss.backward()
            """,
        good="""
            loss = head(checkpoint(stem, images, use_reentrant=False)).sum()
            loss.backward()
            """,
        setup=SETUP,
        harm=_stem_learns_nothing,
    ),
]

SILENT = [
    """
    from torch.utils.checkpoint import checkpoint

    def recomputed(block, images, save_memory: bool):
        if save_memory and images.requires_grad:
            return checkpoint(block, images)
        return block(images)
    """,
    """
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    stem, options = nn.Linear(4, 4), {"use_reentrant": False}
    out = checkpoint(stem, torch.ones(2, 4), **options)
    checkpoint(nn.Linear(4, 4), out, use_reentrant=True)  # what it gets has a graph
    """,
    """
    from timm import stem  # of which nothing is known: its own call is another one
    from torch.utils.checkpoint import checkpoint

    def features(images):
        return checkpoint(stem, images, use_reentrant=False)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("checkpoint", "checkpoint_sequential"):
        cared_for = scope.asked_before(call.ref, "requires_grad")
        if "use_reentrant" not in call and not call.open and not cared_for:
            closed = call.text[:-1].rstrip().rstrip(",") + ", use_reentrant=False)"
            yield call.flag(
                f"`{call.name}` without `use_reentrant` is the reentrant variant: parts whose input needs "
                "no gradient do not learn",
                fix=replace_with(call.at, closed, "Pass `use_reentrant=False`", safe=False),
            )
        elif _cut_off(call):
            yield call.flag(
                "none of its inputs needs a gradient: the reentrant variant then gives none to the weights inside"
            )


def _cut_off(call: Call) -> bool:
    """Asked for the reentrant variant, with inputs that certainly need no gradient."""
    asked, given = call["use_reentrant"], call.at_first("args")
    grad = call.under("grad")
    training = call.op == "checkpoint" and (grad is None or grad.mode == "on")
    return training and asked is not None and asked.constant is True and bool(given) and not any(given)
