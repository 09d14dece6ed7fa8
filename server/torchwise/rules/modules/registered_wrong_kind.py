"""Something is registered as what it is not.

`register_parameter` takes a Parameter, `register_buffer` a tensor, and what is once a buffer takes tensors
only: a number in its place raises TypeError. None is let through everywhere. Wrap it:
`nn.Parameter(tensor)`, `torch.tensor(number)`, or write into the buffer with `fill_`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW425", ERROR, "04-neural-networks/modules#registering-by-name"

EXAMPLES = [
    Example(
        bad="""
            class Scaled(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_parameter("scale", torch.ones(2))
                                                     ^^^^^^^^^^^^^ is a plain tensor, where a Parameter is needed

            model = Scaled()
            """,
        good="""
            class Scaled(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_parameter("scale", nn.Parameter(torch.ones(2)))

            model = Scaled()
            """,
        setup="import torch\nfrom torch import nn",
        harm=TypeError,
    ),
    Example(
        bad="""
            class Counted(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("steps", torch.zeros(()))
                    self.steps = 0
                    ^^^^^^^^^^ is a buffer, which takes tensors only

            model = Counted()
            """,
        good="""
            class Counted(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("steps", torch.zeros(()))
                    self.steps = torch.ones(())

            model = Counted()
            """,
        setup="import torch\nfrom torch import nn",
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Optional(nn.Module):
        def __init__(self, bias):
            super().__init__()
            self.register_parameter("bias", nn.Parameter(torch.zeros(2)) if bias else None)
            self.register_buffer("cache", None)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("kind"):
        for broken in call.breaks("kind"):
            given = call[broken.param]
            if given is not None:
                yield given.flag(f"`{given.text}` is {broken.got}, where {broken.wanted} is needed")
    for written in scope.happenings("buffer-overwritten"):
        if not scope.facts.called and not scope.always_runs(written.ref):
            continue  # the test may be that it is no buffer here
        yield written.flag(f"`{written.text}` is a buffer, which takes tensors only")
