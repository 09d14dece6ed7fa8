"""A scheduler goes on from an epoch before its optimizer has a rate to go on from.

With `last_epoch` other than -1 a scheduler takes `initial_lr` from the groups of its optimizer. The first scheduler that is
made for it writes it there, and `optimizer.load_state_dict(...)` brings it back. A new optimizer has none, and the
scheduler raises. Load the optimizer's state first; or leave `last_epoch` out and load the scheduler's own state.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LRScheduler.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW159", ERROR, "05-optimizers/schedules#what-a-scheduler-is"

SETUP = """
    import io

    import torch
    from torch.optim.lr_scheduler import StepLR

    saved = io.BytesIO()
    weight = torch.ones(2, requires_grad=True)
    first = torch.optim.SGD([weight], lr=0.1)
    StepLR(first, 10)
    torch.save({"optimizer": first.state_dict(), "epoch": 12}, saved)
    saved.seek(0)
    """

EXAMPLES = [
    Example(
        bad="""
            state = torch.load(saved)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            scheduler = StepLR(optimizer, 10, last_epoch=state["epoch"])
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ needs `initial_lr`
            optimizer.load_state_dict(state["optimizer"])
            """,
        good="""
            state = torch.load(saved)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            optimizer.load_state_dict(state["optimizer"])
            scheduler = StepLR(optimizer, 10, last_epoch=state["epoch"])
            """,
        setup=SETUP,
        harm=KeyError,
    ),
    Example(
        bad="""
            optimizer = torch.optim.SGD([{"params": [weight]}], lr=0.1)
            scheduler = StepLR(optimizer, 10, 0.5, 3)
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ needs `initial_lr`
            """,
        good="""
            optimizer = torch.optim.SGD([{"params": [weight], "initial_lr": 0.1}], lr=0.1)
            scheduler = StepLR(optimizer, 10, 0.5, 3)
            """,
        setup=SETUP,
        harm=KeyError,
    ),
]

SILENT = [
    """
    import torch
    from torch.optim.lr_scheduler import LambdaLR, SequentialLR, StepLR

    def resumed(model, path, args, lr):
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", lr)
        state = torch.load(path)
        return LambdaLR(optimizer, lambda epoch: 0.9 ** epoch, last_epoch=state["epoch"])

    def begun(model, path, args, lr):
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        state = torch.load(path) if path else None
        if state:
            optimizer.load_state_dict(state["optimizer"])
        StepLR(optimizer, 10, last_epoch=args.start_epoch - 1)  # -1 where it starts
        return StepLR(optimizer, 10, last_epoch=state["epoch"] if state is not None else -1)

    def second(model, lr):
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        warm, rest = StepLR(optimizer, 10), StepLR(optimizer, 20, last_epoch=4)
        return SequentialLR(optimizer, [warm, rest], [5], last_epoch=2)
    """,
    """
    import torch
    from torch.optim.lr_scheduler import StepLR

    class Trainer:
        def __init__(self, model):
            self.model, self.optimizer = model, torch.optim.SGD(model.parameters(), lr=0.1)

        def load(self, path):
            self.optimizer.load_state_dict(torch.load(path)["optimizer"])

        def go_on(self):  # after `load`
            self.scheduler = StepLR(self.optimizer, 10, last_epoch=3)

        def go_on_from(self, path):
            state = torch.load(path)
            self.scheduler = StepLR(self.optimizer, 10, last_epoch=state["epoch"])
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    made: dict[int, list[str]] = {}
    for resumed in scope.seen("scheduler-resumed"):
        made.setdefault(resumed.ref, []).append(resumed.detail)
    for ref, details in made.items():
        call = scope.call_made(ref)
        optimizer = call["optimizer"] if call is not None else None
        if call is not None and optimizer is not None and set(details) == {"bare"}:
            yield call.flag(
                f"needs `initial_lr` from {optimizer.quoted}, which is new here: load the state of the optimizer before",
                because=tuple((site, "made here") for site in optimizer.places[:1]),
            )
