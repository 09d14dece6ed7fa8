"""Gradients are meant to be gathered over several batches, and are cleared for each.

Where the optimizer steps on every n-th batch, or after a loop over parts, and `zero_grad` runs on each, the
step has the gradient of the last batch alone: the others were computed and thrown away, and what is left was
divided by n. Clear where the step is.

Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, Site

CODE, LEVEL, LESSON = "TW155", WARNING, "07-training/precision#a-batch-in-parts"
WHEN = "the optimizer steps only then"

EXAMPLES = [
    Example(
        bad="""
            for number, batch in enumerate(batches, start=1):
                optimizer.zero_grad()
                ^^^^^^^^^^^^^^^^^^^^^ clears what the batches before have given
                (head(batch).mean() / every).backward()
                if number % every == 0 or number == len(batches):
                    optimizer.step()
            """,
        good="""
            for number, batch in enumerate(batches, start=1):
                (head(batch).mean() / every).backward()
                if number % every == 0 or number == len(batches):
                    optimizer.step()
                    optimizer.zero_grad()
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1, bias=False)
            nn.init.zeros_(head.weight)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches, every = [torch.full((8, 4), float(n)) for n in (3, 2, 1, 0)], 4
            """,
        harm=lambda bad, good: (
            bool((bad["head"].weight == 0).all()) and bool((good["head"].weight < 0).all())  # type: ignore[attr-defined]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    def play(batches, n_critic):
        maker, judge = nn.Linear(4, 4), nn.Linear(4, 1)
        makes = torch.optim.SGD(maker.parameters(), lr=0.1)
        judges = torch.optim.SGD(judge.parameters(), lr=0.1)
        for number, batch in enumerate(batches):
            judges.zero_grad()
            (judge(maker(batch)) - judge(batch)).mean().backward()
            judges.step()
            if number % n_critic == 0:
                makes.zero_grad()
                (-judge(maker(batch))).mean().backward()
                makes.step()

    play([torch.ones(2, 4)] * 4, 2)
    """,
    """
    import torch

    head, batches, every = torch.nn.Linear(4, 1), [torch.ones(2, 4)] * 4, 2
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for number, batch in enumerate(batches):
        if number % every == 0:
            optimizer.zero_grad()
        (head(batch).mean() / every).backward()
        if (number + 1) % every == 0 or number + 1 == len(batches):
            optimizer.step()
    for epoch in range(2):
        optimizer.zero_grad()  # once, before them all
        for number, batch in enumerate(batches):
            (head(batch).mean() / every).backward()
            if (number + 1) % every == 0 or number + 1 == len(batches):
                optimizer.step()
                optimizer.zero_grad()
    for batch in batches:
        optimizer.zero_grad()
        loss = head(batch).mean()
        loss.backward()
        if torch.isfinite(loss):  # a batch is left out
            optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    found = {step.because[0].ref: step for step in scope.seen("step-on-rest")}  # on the turns that step
    for step in found.values():
        cleared, backward = step.because
        if scope.holds(cleared) and scope.holds(backward) and scope.every_turn(cleared.ref):
            if scope.after_loop(backward.ref, step.ref) and scope.after_loop(cleared.ref, step.ref):
                yield _told(cleared, backward, step.text, (step.at, "stepped here, after the loop"))
            for test in scope.under_counter(step.ref, backward.ref)[:1] if step.same_loop(cleared) else ():
                yield _told(cleared, backward, step.text, (scope.site(test), WHEN))
    for clear in scope.seen("cleared-unused"):  # what an earlier call of this function has given
        backward = scope.resolve(clear.because[0])
        own = not scope.holds(clear.because[0]) and backward.place[0] == clear.at.scope
        if own and scope.always_runs(clear.ref) and scope.always_runs(backward.place[1]):
            for step in (h for h in scope.seen("optimizer-stepped") if h.value == clear.value):
                for test in scope.under_counter(step.ref, backward.place[1])[:1]:
                    yield _told(clear.at, backward, step.text, (scope.site(test), WHEN))


def _told(cleared: Site, backward: Site, step: str, asked: tuple[Site, str]) -> Flag:
    return Flag(
        cleared,
        f"clears what the batches before have given: `{step}` uses the last batch alone",
        because=((backward, "computed for each batch"), asked),
    )
