"""A GradScaler around a loss that was computed in bfloat16.

A scaler multiplies the loss so that small gradients do not become 0 in float16. bfloat16 has the range of float32: there
is nothing to save, and scaling, looking for infinities and dividing again are work for nothing.

Source: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW148", HINT, "07-training/precision#which-of-the-two"

EXAMPLES = [
    Example(
        bad="""
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.mse_loss(head(features), target)
            scaler.scale(loss).backward()
            ^^^^^^^^^^^^^^^^^^ is scaled for nothing
            scaler.step(optimizer)
            scaler.update()
            """,
        good="""
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.mse_loss(head(features), target)
            loss.backward()
            optimizer.step()
            """,
        setup="""
            import torch
            import torch.nn.functional as F
            from torch import nn

            torch.manual_seed(0)
            head = nn.Linear(4, 1)
            features, target = torch.ones(8, 4), torch.ones(8, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            scaler = torch.amp.GradScaler("cpu")
            """,
        harm=lambda bad, good: bad["head"].weight.equal(good["head"].weight),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F
    from torch import nn

    def train(half):
        head, kind = nn.Linear(4, 1), torch.float16 if half else torch.bfloat16
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", enabled=half)  # the same code for both
        with torch.autocast("cpu", dtype=kind):
            loss = F.mse_loss(head(torch.ones(8, 4)), torch.ones(8, 1))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("torch.amp.GradScaler.scale"):
        given = call["outputs"]
        made = given.made_only_by() if given is not None and call.result_nature == "scaled" else None
        region = made.under("autocast", "bfloat16") if made is not None else None
        if given is not None and region is not None and region.at is not None:
            yield call.flag(
                f"`{given.text}` is scaled for nothing: bfloat16, in which it was computed, has the range of float32",
                because=((region.at, "under this autocast"),),
            )
