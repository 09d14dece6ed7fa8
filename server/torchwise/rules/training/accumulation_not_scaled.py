"""Gradients are summed over several batches, and the loss of each is a mean.

`backward` adds to the gradients. Over k batches, each with its own mean, they add up to k times the gradient of the large
batch that is meant: the steps are k times as long. Divide each loss by k. Optimizers such as Adam work out their step from
the ratio of gradients and do not mind (so this is a hint there), but clipping and weight decay in the gradient do.

Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import HINT, WARNING, Call, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW130", WARNING, "07-training/precision#a-batch-in-parts"

EXAMPLES = [
    Example(
        bad="""
            for number, batch in enumerate(batches):
                loss = F.mse_loss(head(batch), batch)
                loss.backward()
                ^^^^^^^^^^^^^^^ adds up the means of `every` batches
                if (number + 1) % every == 0 or number + 1 == len(batches):
                    optimizer.step()
                    optimizer.zero_grad()
            """,
        good="""
            for number, batch in enumerate(batches):
                loss = F.mse_loss(head(batch), batch)
                (loss / every).backward()
                if (number + 1) % every == 0 or number + 1 == len(batches):
                    optimizer.step()
                    optimizer.zero_grad()
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            head = nn.Linear(4, 4, bias=False)
            before = nn.init.zeros_(head.weight).detach().clone()
            optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
            batches, every = [torch.ones(8, 4)] * 4, 4
            """,
        harm=lambda bad, good: (bad["head"].weight - bad["before"]).norm() > 3 * good["head"].weight.norm(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F

    def train(model, loader, every):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1 / every)  # the rate is divided instead
        for number, (x, y) in enumerate(loader, 1):
            F.cross_entropy(model(x), y).backward()
            if number % every == 0 or number == len(loader):
                optimizer.step()
                optimizer.zero_grad()
    """,
    """
    import torch
    import torch.nn.functional as F

    def train(model, optimizer, loader, every):
        for number, (x, y) in enumerate(loader, 1):
            F.cross_entropy(model(x), y, reduction="sum").backward()  # a sum over all
            if number % every == 0 or number == len(loader):
                optimizer.step()
                optimizer.zero_grad()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.calls_to("Tensor.backward"):
        for test, by in scope.gathered(backward.ref):
            loss, steps = _loss(backward), scope.calls_to("step")
            every = scope.text(by)
            if loss is None or loss.nature != "mean-loss" or every == "1" or scope.mentions("grad"):
                continue
            if any(every in scope.text_at(site) for s in steps if s["self"] for site in s["self"].places):
                continue  # the rate knows of it
            plain = any(s.owner.endswith(".SGD") for s in steps)
            yield backward.flag(
                f"adds up the means of `{every}` batches: divide each loss by their number",
                because=((scope.site(test), "the optimizer steps here"),),
                level=WARNING if plain and not scope.calls_to("clip_grad_norm_") else HINT,
                fix=replace_with(loss.at, f"({loss.text} / {every})", "Divide the loss", safe=False),
            )
            break
        else:
            yield from _in_pieces(scope, backward)


def _in_pieces(scope: Reading, backward: Call) -> Iterator[Flag]:
    """Of one batch that is cut up: whoever steps is not here, and may know of it."""
    loss = _loss(backward)
    over = list(scope.calls_within(scope.over(backward.loops[-1]))) if backward.loops else []
    cut = next((call for call in over if call.op in ("chunk", "split", "tensor_split")), None)
    batches = any(call.op in ("randperm", "arange", "DataLoader") for call in over)  # places of whole batches
    if cut is None or batches or loss is None or loss.nature != "mean-loss":
        return
    if not scope.mentions("step", "grad", "zero_grad") and not scope.seen("optimizer-stepped"):
        yield backward.flag(
            f"adds up the means of all pieces: divide each by their number, or `{cut.name}` changes the gradient",
            because=((cut.at, "cut into pieces here"),),
            level=HINT,
        )


def _loss(backward: Call) -> Operand | None:
    """What is differentiated, without a gradient scaler's scale."""
    root = backward["self"]
    scaled = root.made_only_by("scale") if root is not None else None
    return root if scaled is None else scaled["outputs"]
