"""A loss that was computed under float16 autocast is differentiated as it is, without a GradScaler.

Gradients flow back through float16 too, where anything below 3e-8 becomes 0: those of a small or averaged loss vanish,
and the weights behind them stand still. A GradScaler multiplies the loss before, and divides the gradients again.
With bfloat16, whose range is that of float32, nothing is needed.

Source: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW145", WARNING, "07-training/precision#scaling-the-loss"

EXAMPLES = [
    Example(
        bad="""
            for _ in range(3):
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = F.mse_loss(head(features), target)
                loss.backward()
                ^^^^^^^^^^^^^^^ was computed in float16
                optimizer.step()
            """,
        good="""
            scaler = torch.amp.GradScaler("cpu")
            for _ in range(3):
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = F.mse_loss(head(features), target)
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            """,
        setup="""
            import torch
            import torch.nn.functional as F
            from torch import nn

            head = nn.Linear(4, 1, bias=False)
            nn.init.zeros_(head.weight)
            features, target = torch.ones(4096, 4), torch.full((4096, 1), 1e-5)
            optimizer = torch.optim.Adam(head.parameters())
            """,
        harm=lambda bad, good: bad["head"].weight.eq(0).all() and good["head"].weight.ne(0).all(),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch

    def train(model, criterion, batches, optimizer):
        for features, target in batches:
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(features), target)
            loss.backward()  # the range of float32
            optimizer.step()
    """,
    """
    import torch

    def train(model, criterion, batches, optimizer, scale):
        for features, target in batches:
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = criterion(model(features), target) * scale
            loss.backward()  # scaled by hand
            optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    steps = scope.happenings("optimizer-stepped")
    if not steps or scope.calls_tagged("scaler") or scope.calls_to("scale"):
        return
    for backward in scope.calls_to("backward"):
        root, loss = backward["self"], _computed(backward)
        region = loss.under("autocast", "float16") if loss is not None else None
        used = any(step.ref > backward.ref and step.loops == backward.loops for step in steps)
        if root is not None and region is not None and region.at is not None and used:
            yield backward.flag(
                f"`{root.text}` was computed in float16, where small gradients become 0: a GradScaler scales it first",
                because=((region.at, "under this autocast"),),
            )


def _computed(backward: Call) -> Call | None:
    """The call that gave the loss, which may have been divided since."""
    root = backward["self"]
    call = root.made_only_by() if root is not None else None
    while call is not None and call.op == "div":
        root = call["input"]
        call = root.made_only_by() if root is not None else None
    return None if call is None or call.op == "mul" else call
