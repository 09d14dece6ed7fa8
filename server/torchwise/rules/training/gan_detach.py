"""A loss leaves gradients in parameters of another optimizer, and nothing clears them before that one's own loss.

The judge's loss goes through what the maker made: without `detach()`, `backward` gives gradients to the maker too. The
judge's optimizer steps its own share. Where the maker's gradients are not cleared after it, its optimizer steps with the
sum of two losses that want opposite things: they cancel, and the maker hardly moves. Detached where the judge is trained,
or cleared right before the backward of the maker's loss, nothing is wrong.

Source: https://docs.pytorch.org/tutorials/beginner/dcgan_faces_tutorial.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, insert_before
from torchwise.rules.vocabulary import WARNING, Example, Flag, Happening, Reading, Site

CODE, LEVEL, LESSON = "TW147", WARNING, "05-optimizers/optimizers#clearing-gradients"


EXAMPLES = [
    Example(
        bad="""
            for noise in batches:
                for_maker.zero_grad()
                for_judge.zero_grad()
                judged = F.softplus(judge(maker(noise))).mean() + F.softplus(-judge(real)).mean()
                judged.backward()
                ^^^^^^^^^^^^^^^^^ also leaves gradients in what `for_maker.step()` steps
                for_judge.step()

                made = F.softplus(-judge(maker(noise))).mean()
                made.backward()
                for_maker.step()
            """,
        good="""
            for noise in batches:
                for_maker.zero_grad()
                for_judge.zero_grad()
                judged = F.softplus(judge(maker(noise))).mean() + F.softplus(-judge(real)).mean()
                judged.backward()
                for_judge.step()

                made = F.softplus(-judge(maker(noise))).mean()
                for_maker.zero_grad()
                made.backward()
                for_maker.step()
            """,
        setup="""
            import torch
            import torch.nn.functional as F
            from torch import nn

            torch.manual_seed(0)
            maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
            nn.init.constant_(judge.weight, 0.1)  # it cannot tell them apart yet
            nn.init.zeros_(judge.bias)
            for_maker = torch.optim.SGD(maker.parameters(), lr=0.01)
            for_judge = torch.optim.SGD(judge.parameters(), lr=0.01)
            real, batches = torch.ones(64, 2), [torch.randn(1, 2)] * 3
            """,
        harm=lambda bad, good: bad["maker"].weight.grad.norm() < 0.2 * good["maker"].weight.grad.norm(),  # type: ignore[attr-defined]
    ),
]

SETUP = """
    import torch
    from torch import nn
    from torch.nn import functional as F
    maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
    for_maker = torch.optim.SGD(maker.parameters(), lr=0.01)
    for_judge = torch.optim.SGD(judge.parameters(), lr=0.01)
    """

SILENT = [
    f"""{SETUP}
    for noise in [torch.randn(64, 2)] * 3:
        for_judge.zero_grad()
        F.softplus(judge(maker(noise))).mean().backward()  # waste alone
        for_judge.step()
        for_maker.zero_grad()
        F.softplus(-judge(maker(noise))).mean().backward()
        for_maker.step()
    """,
    f"""{SETUP}
    other = nn.Linear(2, 1)
    for_other = torch.optim.SGD(other.parameters(), lr=0.01)
    for batch in [torch.randn(64, 2)] * 3:
        for optimizer in (for_maker, for_judge, for_other):
            optimizer.zero_grad()
        shared = maker(batch)
        judge(shared).square().mean().backward(retain_graph=True)
        for_judge.step()
        other(shared).square().mean().backward()
        for_other.step()
        for_maker.step()  # what both heads want of the part they share
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.happenings("step-on-strangers"):
        backward, other, own = step.because
        yield Flag(
            backward,
            f"also leaves gradients in what `{step.text}` steps: nothing clears them before "
            f"`{scope.text_at(own)}` adds its own",
            because=(
                (other, "for this step"),
                (own, "these are added"),
                (step.at, "and the sum is stepped with"),
            ),
            fix=_cleared(scope, step, own),
        )


def _cleared(scope: Reading, step: Happening, own: Site) -> FixPlan | None:
    optimizer = step.text.removesuffix(".step()")
    if optimizer == step.text or not optimizer.replace(".", "").isidentifier() or not scope.holds(own):
        return None
    clear = f"{optimizer}.zero_grad()"
    return insert_before(own, clear, f"Call `{clear}` first", safe=False)
