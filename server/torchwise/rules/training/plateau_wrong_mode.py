"""`ReduceLROnPlateau` waits for the wrong direction.

Unless told otherwise it takes a lower metric for a better one (`mode="min"`). Given an accuracy, which rises while the
model learns, it sees no improvement and lowers the rate again and again; with `mode="max"` and a loss it is the same.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Operand, Reading, figures

CODE, LEVEL, LESSON = "TW152", HINT, "05-optimizers/schedules#when-the-metric-stands-still"
MODE = re.compile(r"mode\s*=\s*['\"](min|max)['\"]|^[^(]*\([^,=]+,\s*['\"](min|max)['\"]")
OPEN = re.compile(r"mode\s*=|\*|^[^(]*\([^,=]+,[^,=]+[,)]")  # given, but not as a literal

EXAMPLES = [
    Example(
        bad="""
            schedule = ReduceLROnPlateau(optimizer, patience=1)
            for accuracy in (0.5, 0.6, 0.7, 0.8):
                optimizer.step()
                schedule.step(accuracy)
                              ^^^^^^^^ is better when it rises
            rate = optimizer.param_groups[0]["lr"]
            """,
        good="""
            schedule = ReduceLROnPlateau(optimizer, mode="max", patience=1)
            for accuracy in (0.5, 0.6, 0.7, 0.8):
                optimizer.step()
                schedule.step(accuracy)
            rate = optimizer.param_groups[0]["lr"]
            """,
        setup="""
            import torch
            from torch.optim.lr_scheduler import ReduceLROnPlateau

            optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
            """,
        harm=lambda bad, good: good["rate"] == 0.1 > bad["rate"],  # type: ignore[operator]
    ),
]

SILENT = [
    """
    from torch.optim.lr_scheduler import ReduceLROnPlateau

    def train(optimizer, epochs, validate, way):
        schedule = ReduceLROnPlateau(optimizer, patience=2)
        other = ReduceLROnPlateau(optimizer, mode=way)
        third = ReduceLROnPlateau(optimizer, "max")
        for _ in range(epochs):
            optimizer.step()
            accuracy = validate()
            schedule.step(-accuracy)
            schedule.step(1 - accuracy)
            other.step(accuracy)  # nobody knows which way
            third.step(accuracy)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.calls_to("torch.optim.lr_scheduler.ReduceLROnPlateau.step"):
        schedule, metric = step["self"], step["metrics"]
        made = schedule.places if schedule is not None else ()
        if metric is None or len({site.place for site in made}) != 1:
            continue
        text = " ".join(scope.text_at(made[0]).split())
        literal = MODE.search(text)
        if "(" not in text or (literal is None and OPEN.search(text)):
            continue
        mode = next(m for m in literal.groups() if m) if literal else "min"
        name = figures.named(_word(scope, metric))
        if (figures.rises if mode == "min" else figures.falls)(name):
            way = "rises" if mode == "min" else "falls"
            yield metric.flag(
                f"`{metric.text}` is better when it {way}, but this schedule waits for it to "
                f'{"fall" if mode == "min" else "rise"}: `mode` is "{mode}"',
                because=((made[0], "made here"),),
            )


def _word(scope: Reading, metric: Operand) -> str:
    """The text of a metric, or what it is called in a dict of several."""
    asked = scope.call_made(metric.ref)
    key = asked["index"] if asked is not None and asked.op == "getitem" else None
    return key.constant if key is not None and isinstance(key.constant, str) else metric.text
