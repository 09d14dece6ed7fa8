"""A scheduler is made with an argument that it does not take.

`verbose` is gone from all schedulers: passing it raises. Print `scheduler.get_last_lr()` instead.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW111", ERROR, "05-optimizers/schedules#what-a-scheduler-is"
SINCE = "2.7"

EXAMPLES = [
    Example(
        bad="""
            scheduler = StepLR(optimizer, step_size=5, verbose=True)
                                                               ^^^^ takes no `verbose`
            """,
        good="""
            scheduler = StepLR(optimizer, step_size=5)
            """,
        setup="""
            import torch
            from torch.optim.lr_scheduler import StepLR

            optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
            """,
        harm=TypeError,
    ),
]

SILENT = [
    """
    from torch.optim.lr_scheduler import StepLR

    def make(optimizer, **options):
        return StepLR(optimizer, **options)  # nothing is known of the options
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("keyword"):
        for broken in call.breaks("keyword") if call.tagged("scheduler") else ():
            argument = call[broken.param]
            if argument is not None:
                yield argument.flag(f"`{call.op}` takes no `{broken.param}`: this raises a TypeError")
