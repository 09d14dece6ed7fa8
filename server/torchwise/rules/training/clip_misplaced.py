"""Gradients are clipped at a moment at which that changes nothing that matters.

Clipping belongs between `backward` and `step`: before `backward` there is nothing to clip, after `step` it comes too
late. With a gradient scaler the gradients are multiplied by the scale (65536 at first) until `unscale_`, so that every
norm is over the limit and the step is far too small.

Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, insert_before
from torchwise.rules.vocabulary import WARNING, Example, Flag, Happening, Reading

CODE, LEVEL, LESSON = "TW118", WARNING, "05-optimizers/schedules#clipping"

SETUP = """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    batches = [torch.ones(8, 4) * 100] * 2
    """


def _norm_over(bad: dict[str, object], good: dict[str, object]) -> bool:
    """The last step of `good` used clipped gradients of norm 1; `bad` used others."""
    norms = [float(space["head"].weight.grad.norm()) for space in (bad, good)]  # type: ignore[attr-defined]
    return norms[1] <= 1.01 and not 0.9 < norms[0] < 1.01


EXAMPLES = [
    Example(
        bad="""
            for batch in batches:
                optimizer.zero_grad()
                loss = head(batch).mean()
                nn.utils.clip_grad_norm_(head.parameters(), 1.0)
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ there are no gradients yet
                loss.backward()
                optimizer.step()
            """,
        good="""
            for batch in batches:
                optimizer.zero_grad()
                loss = head(batch).mean()
                loss.backward()
                nn.utils.clip_grad_norm_(head.parameters(), 1.0)
                optimizer.step()
            """,
        setup=SETUP,
        harm=_norm_over,
    ),
    Example(
        bad="""
            for batch in batches:
                optimizer.zero_grad()
                scaler.scale(head(batch).mean()).backward()
                nn.utils.clip_grad_norm_(head.parameters(), 1.0)
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ still multiplied by the scale of `scaler`
                scaler.step(optimizer)
                scaler.update()
            """,
        good="""
            for batch in batches:
                optimizer.zero_grad()
                scaler.scale(head(batch).mean()).backward()
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(head.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
            """,
        setup=SETUP,
        harm=_norm_over,
    ),
]

SILENT = [
    """
    import torch

    def train(model, batches, optimizer):
        for batch in batches:
            optimizer.step()  # the loop is rotated: from the second turn on this uses clipped gradients
            optimizer.zero_grad()
            model(batch).mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for clip in scope.happenings("clip-on-clear", "clip-on-used", always=True):
        if clip.kind == "clip-on-clear":
            yield clip.flag("clips nothing: there are no gradients yet, `backward` comes after it")
        else:
            because = ((clip.because[0], "with these gradients"),)
            yield clip.flag("clips too late: the optimizer has already stepped", because)
    for clip in scope.happenings("clip-on-scaled"):
        scale = scope.call_at(clip.because[0])
        scaler = scale["self"].text if scale and scale["self"] else "the scaler"
        yield clip.flag(
            f"clips gradients that are still multiplied by the scale of `{scaler}`",
            because=((clip.because[0], "scaled here"),),
            fix=_unscale(scope, clip),
        )


def _unscale(scope: Reading, clip: Happening) -> FixPlan | None:
    for step in scope.calls_to("torch.amp.GradScaler.step"):
        scaler, optimizer = step["self"], step["optimizer"]
        if scaler and optimizer and step.ref > clip.ref:
            call = f"{scaler.text}.unscale_({optimizer.text})"
            return insert_before(clip.at, call, f"Call `{call}` first")
    return None
