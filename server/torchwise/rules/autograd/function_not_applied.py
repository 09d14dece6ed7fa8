"""A custom Function is used without `apply`.

`Round.apply(x)` runs `forward` and records a node, so that `backward` is used. Calling an instance raises;
calling `Round.forward(None, x)` is
an ordinary call: its operations are recorded one by one, and the custom gradient is never used.

Source: https://docs.pytorch.org/docs/stable/notes/extending.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW212", ERROR, "03-autograd/custom#the-rules"

DEFINED = """
    import torch

    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return torch.round(x)

        @staticmethod
        def backward(ctx, grad):
            return grad

    weight = torch.full((3,), 0.7, requires_grad=True)
    """


def _no_gradient(bad: dict[str, object], good: dict[str, object]) -> bool:
    return not bad["weight"].grad.any() and bool(good["weight"].grad.all())  # type: ignore[attr-defined]


EXAMPLES = [
    Example(
        bad="""
            Round()(weight).sum().backward()
            ^^^^^^^^^^^^^^^ calls an instance
            """,
        good="""
            Round.apply(weight).sum().backward()
            """,
        setup=DEFINED,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            Round.forward(None, weight).sum().backward()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^ the `backward` of `Round` is not used
            """,
        good="""
            Round.apply(weight).sum().backward()
            """,
        setup=DEFINED,
        harm=_no_gradient,
    ),
]

SILENT = [
    """
    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return Double.forward(ctx, grad)  # one half may use the other
    """,
    """
    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    def double(x):
        if torch.jit.is_scripting() or torch.jit.is_tracing():
            return Double.forward(None, x)  # without gradients
        return Double.apply(x)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("legacy-function"):
        for _ in call.breaks("legacy-function"):
            yield call.flag("calls an instance of a custom Function: use `apply` of the class")
    for direct in scope.happenings("function-bypassed"):
        if direct.guarded("compiling"):
            continue  # TorchScript knows no `apply`
        name = direct.detail
        yield direct.flag(
            f"an ordinary call: the `backward` of `{name}` is not used; call `{name}.apply`", level=WARNING
        )
