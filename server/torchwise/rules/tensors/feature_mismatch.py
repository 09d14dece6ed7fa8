"""A layer is given an input of another size than it was made for.

`nn.Linear(128, 10)` wants 128 features on the last axis, `nn.Conv2d(3, ...)` 3 channels on the second, `nn.BatchNorm1d(64)`
64 on the second, an LSTM its `input_size` on the last. The number after flattening the output of convolutions is computed from
the size of the image; a wrong one fails at the first batch.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, replace_with
from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW303", ERROR, "04-neural-networks/layers#linear"

EXAMPLES = [
    Example(
        bad="""
            head = nn.Linear(16 * 8 * 8, 10)
            maps = pool(conv(images))
            scores = head(maps.flatten(1))
                     ^^^^^^^^^^^^^^^^^^^^^ is (5, 3136): 3136 where 1024 (in_features) is needed that `head` takes
            """,
        good="""
            head = nn.Linear(3136, 10)
            maps = pool(conv(images))
            scores = head(maps.flatten(1))
            """,
        setup="""
            import torch
            from torch import nn

            images = torch.randn(5, 1, 28, 28)
            conv, pool = nn.Conv2d(1, 16, 3, padding=1), nn.MaxPool2d(2)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    head = nn.LazyLinear(10)  # takes what it is given first
    scores = head(torch.randn(5, 77))
    """,
]

KINDS = ("axis", "broadcast", "rank", "kernel", "batch")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break(*KINDS):
        if call.on_layer and not call.compares_with_target:
            for broken in call.breaks(*KINDS):
                layer = call["self"]
                made = tuple((site, "made here") for site in layer.places) if layer is not None else ()
                yield call.flag(
                    call.tell(broken),
                    made + call.origin_of(broken),
                    fix=_computed(call, broken.axis, str(broken.got)),
                )
                break


def _computed(call: Call, name: str, size: str) -> FixPlan | None:
    """Puts the number that comes in where the layer is made, if that is in the same scope."""
    layer = call["self"]
    sites = layer.places if layer is not None else ()
    made = call.reading.call_at(sites[0]) if len(sites) == 1 and name in SIZES else None
    asked = made[name] if made is not None else None
    if asked is None or not size.isdigit():
        return None
    return replace_with(asked.at, size, f"Make it for {size}", safe=False)


SIZES = ("in_features", "in_channels", "num_features", "input_size")
