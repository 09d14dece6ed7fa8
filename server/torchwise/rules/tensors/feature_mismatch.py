"""A layer is given an input of another size than it was made for.

`nn.Linear(128, 10)` wants 128 features on the last axis, `nn.Conv2d(3, ...)` 3 channels on the second, `nn.BatchNorm1d(64)`
64 on the second, an LSTM its `input_size` on the last. The number after flattening the output of convolutions is computed from
the size of the image; a wrong one fails at the first batch.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW303", ERROR, "04-neural-networks#sizes"

EXAMPLES = [
    Example(
        bad="""
            head = nn.Linear(16 * 8 * 8, 10)
            maps = pool(conv(images))
            scores = head(maps.flatten(1))
                     ^^^^^^^^^^^^^^^^^^^^^ is (5, 3136): 3136 where 1024 (in_features) is needed that `head` takes
            """,
        good="""
            head = nn.Linear(16 * 14 * 14, 10)
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
                yield call.flag(call.tell(broken), made + call.origin_of(broken))
                break
