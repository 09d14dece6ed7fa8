"""A layer is given an input of another size than it was made for.

`nn.Linear(128, 10)` wants 128 features on the last axis, `nn.Conv2d(3, ...)` 3 channels on the second, `nn.BatchNorm1d(64)`
64 on the second, an LSTM its `input_size` on the last. The number after flattening the output of convolutions is computed from
the size of the image; a wrong one fails at the first batch.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html
"""

import math
import re
from collections.abc import Iterator

from torchwise.fixes.edits import FixPlan, replace_argument, replace_with
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
                yield call.flag(
                    call.tell(broken),
                    made + call.origin_of(broken),
                    fix=_computed(call, broken.axis, str(broken.got)),
                )
                break


def _computed(call: Call, name: str, size: str) -> FixPlan | None:
    """Puts the number that comes in where the layer is made: elsewhere only in place of a number that is written
    there, and not handed over.
    """
    layer = call["self"]
    sites = layer.places if layer is not None else ()
    if len(sites) != 1 or name not in SIZES or not size.isdigit():
        return None
    made = call.reading.call_at(sites[0])
    text = _as_product(call, call.reading.text_at(sites[0]), int(size)) or size
    title = f"Make it for {size}"
    if made is None:
        return replace_argument(sites[0], name, 0, text, title)
    asked = made[name]
    return replace_with(asked.at, text, title, safe=False) if asked is not None else None


def _as_product(call: Call, layer: str, size: int) -> str:
    """`64 * 2 * 2` where `64 * 4 * 4` stands, if these are the axes that were flattened."""
    written = PRODUCT.search(layer)
    given = call["input"]
    flat = given.made_only_by("flatten", "reshape", "view") if given is not None else None
    whole = flat["input"] or flat["self"] if flat is not None else None
    if written is None or whole is None or whole.tensor is None or whole.tensor.shape is None:
        return ""
    count = written[1].count("*") + 1
    axes = [axis.number for axis in whole.tensor.shape[-count:] if axis.number is not None]
    return " * ".join(map(str, axes)) if len(axes) == count and math.prod(axes) == size else ""


PRODUCT = re.compile(r"\(\s*(?:\w+\s*=\s*)?(\d+(?:\s*\*\s*\d+)+)\s*[,)]")
SIZES = ("in_features", "in_channels", "num_features", "input_size")
