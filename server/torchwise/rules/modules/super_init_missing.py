"""A module assigns a layer or parameter before `super().__init__()` has run, or without it.

`nn.Module.__init__` makes the tables that layers and parameters are registered in. Until then an
assignment of one raises.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW402", ERROR, "04-neural-networks/modules#from-init-to-call"

EXAMPLES = [
    Example(
        bad="""
            class Head(nn.Module):
                def __init__(self, width):
                    self.out = nn.Linear(width, 2)
                    ^^^^^^^^ before `super().__init__()`
                    super().__init__()

            head = Head(8)
            """,
        good="""
            class Head(nn.Module):
                def __init__(self, width):
                    super().__init__()
                    self.out = nn.Linear(width, 2)

            head = Head(8)
            """,
        setup="from torch import nn",
        harm=AttributeError,
    ),
]

SILENT = [
    """
    from abc import ABC

    from torch import nn

    class Adapter(ABC):
        def __init__(self, base):
            self.base = base

    class AdaptedLinear(nn.Module, Adapter):
        def __init__(self, base):
            super().__init__()  # that of nn.Module, which stands first
            Adapter.__init__(self, base)

    layer = AdaptedLinear(nn.Linear(2, 2))
    """,
    """
    from torch import nn

    def made():
        class Local(nn.Module):
            def __init__(self):
                super(Local, self).__init__()
                self.line = nn.Linear(20, 10)

        return Local()

    layer = made()
    """,
    """
    from torch import nn

    class Head(nn.Module):
        def __init__(self, width):
            self.width = width  # a plain value may come first
            super().__init__()
            self.out = nn.Linear(width, 2)
    """,
    """
    from torch import nn
    from somewhere import Base

    class Head(Base, nn.Module):
        def __init__(self, width):
            Base.setup(self)  # may do it
            self.out = nn.Linear(width, 2)
    """,
    """
    from functools import wraps
    from torch import nn

    def renamed(function):
        @wraps(function)
        def inner(*args, **kwargs):
            return function(*args, **{name.lower(): value for name, value in kwargs.items()})

        return inner

    class Head(nn.Module):
        @renamed
        def __init__(self, width):
            super().__init__()
            self.out = nn.Linear(width, 2)

    head = Head(WIDTH=3)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    early = scope.happenings("set-before-init")
    if early:
        first = min(early, key=lambda e: e.ref)
        yield first.flag(
            f"`self.{first.detail}` is assigned before `super().__init__()`: nn.Module cannot register it yet"
        )
