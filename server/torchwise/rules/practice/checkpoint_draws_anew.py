"""Dropout is run once more in the backward, and draws another mask.

A checkpointed block is run again in the backward. With `preserve_rng_state=False` the generator is not set back
first: dropout then drops other elements than it did in the forward, and the gradients are those of another function
than the loss. Leave it out where anything inside draws random numbers; it is for blocks that draw none.

Source: https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW443", WARNING, "16-checkpointing/recomputing#what-must-be-the-same-twice"

SETUP = """
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    torch.manual_seed(0)
    block = nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.5))
    x = torch.ones(1, 64, requires_grad=True)
    """


def _belongs_to_another(bad: dict[str, object], good: dict[str, object]) -> bool:
    kept = [space["out"].ne(0).float().equal(space["bias"].div(2)) for space in (bad, good)]  # type: ignore[attr-defined]
    return kept == [False, True]


EXAMPLES = [
    Example(
        bad="""
            out = checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)
                                                                               ^^^^^ draws another mask
            out.sum().backward()
            bias = block[0].bias.grad
            """,
        good="""
            out = checkpoint(block, x, use_reentrant=False)
            out.sum().backward()
            bias = block[0].bias.grad
            """,
        setup=SETUP,
        harm=lambda bad, good: _belongs_to_another(
            {**bad, "out": bad["out"][0]}, {**good, "out": good["out"][0]}
        ),
    ),
]

SILENT = [
    SETUP
    + """
    plain = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.0))
    checkpoint(plain, x, use_reentrant=False, preserve_rng_state=False)  # draws nothing
    block.eval()
    checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)  # not in eval mode, either
    block.train()
    with torch.no_grad():
        checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)  # there is no backward
    """,
    SETUP
    + """
    def fast(layer: nn.Module, x, preserve: bool):
        return checkpoint(layer, x, use_reentrant=False, preserve_rng_state=preserve)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("checkpoint", "checkpoint_sequential"):
        for broken in call.breaks("drawn-anew"):
            asked = call["preserve_rng_state"]
            message = (
                "the dropout inside draws another mask when the block is run once more for the backward, so the "
                "gradients are wrong"
            )
            because = scope.made(broken.because, "the dropout")
            yield (
                call.flag(message, because)
                if asked is None or call.open
                else asked.flag(message, because=because)
            )
