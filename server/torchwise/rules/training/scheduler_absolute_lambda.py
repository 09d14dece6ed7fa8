"""A `LambdaLR` function returns a rate, where a factor is wanted.

`LambdaLR` multiplies the optimizer's own `lr` by what the function returns. A function that returns a rate
itself makes it
`lr * lr`, a thousand times too small. Return a factor, or give the optimizer `lr=1.0`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LambdaLR.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW125", WARNING, "05-optimizers/schedules#warm-up"

EXAMPLES = [
    Example(
        bad="""
            def rate_at(step):
                return RATE * 0.9 ** step

            optimizer = torch.optim.SGD([weight], lr=RATE)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate_at)
                                                                     ^^^^^^^ `RATE` is multiplied in twice
            rate = scheduler.get_last_lr()[0]
            """,
        good="""
            def factor_at(step):
                return 0.9 ** step

            optimizer = torch.optim.SGD([weight], lr=RATE)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor_at)
            rate = scheduler.get_last_lr()[0]
            """,
        setup="""
            import torch

            RATE = 0.01
            weight = torch.ones(2, requires_grad=True)
            """,
        harm=lambda bad, good: bad["rate"] < 0.02 * good["rate"],  # type: ignore[operator]
    ),
    Example(
        bad="""
            def decay(highest):
                return lambda step: highest * 0.9 ** step

            optimizer = torch.optim.SGD([weight], lr=RATE)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, decay(RATE))
                                                                     ^^^^^^^^^^^ `RATE` is multiplied in twice
            rate = scheduler.get_last_lr()[0]
            """,
        good="""
            def decay(highest):
                return lambda step: max(highest * 0.9 ** step, 1e-5) / highest

            optimizer = torch.optim.SGD([weight], lr=RATE)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, decay(RATE))
            rate = scheduler.get_last_lr()[0]
            """,
        setup="""
            import torch

            RATE = 0.01
            weight = torch.ones(2, requires_grad=True)
            """,
        harm=lambda bad, good: bad["rate"] < 0.02 * good["rate"],  # type: ignore[operator]
    ),
]

SILENT = [
    """
    import torch

    RATE = 0.01

    def factor_at(step):
        return max(RATE * 0.9 ** step, 1e-5) / RATE  # divided out again

    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=RATE)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor_at)
    """,
    """
    import torch

    RATE = 0.01

    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: RATE * 0.9 ** step)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for made in scope.seen("absolute-lambda"):
        call = scope.call_made(made.ref)
        given = call["lr_lambda"] if call else None
        if given is not None:
            yield given.flag(
                f"`{made.detail}` is multiplied in twice: it is the optimizer's `lr`, and LambdaLR "
                "multiplies `lr` by the result",
            )
