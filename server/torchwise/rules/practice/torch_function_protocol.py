"""A `__torch_function__` or `__torch_dispatch__` calls the function in a way that raises.

torch leaves `kwargs` out where there are none, so the default `None` arrives, which `**kwargs` cannot spread. And a function that
is called with the tensors of the class itself comes back to the same method, until Python's stack is full.

Source: https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-with-a-tensor-like-type
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_with
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW914", ERROR, "19-dispatch/protocols#what-the-method-receives"
SETUP = """
    import torch
    from torch.overrides import TorchFunctionMode
    """

EXAMPLES = [
    Example(
        bad="""
            class Counting(TorchFunctionMode):
                def __torch_function__(self, func, types, args=(), kwargs=None):
                    return func(*args, **kwargs)
                                         ^^^^^^ may be None

            with Counting():
                total = torch.ones(3) + 1
            """,
        good="""
            class Counting(TorchFunctionMode):
                def __torch_function__(self, func, types, args=(), kwargs=None):
                    return func(*args, **(kwargs or {}))

            with Counting():
                total = torch.ones(3) + 1
            """,
        setup=SETUP,
        harm=TypeError,
    ),
    Example(
        bad="""
            class Metres(torch.Tensor):
                @classmethod
                def __torch_function__(cls, func, types, args=(), kwargs=None):
                    return func(*args, **(kwargs or {}))
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ comes back here

            total = torch.ones(3).as_subclass(Metres) + 1
            """,
        good="""
            class Metres(torch.Tensor):
                @classmethod
                def __torch_function__(cls, func, types, args=(), kwargs=None):
                    return super().__torch_function__(func, types, args, kwargs or {})

            total = torch.ones(3).as_subclass(Metres) + 1
            """,
        setup=SETUP,
        harm=RecursionError,
    ),
]

SILENT = [
    """
    import torch

    class Plain(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
    """,
    """
    import torch

    class Wrapper(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            args = [a.inner if isinstance(a, Wrapper) else a for a in args]
            return func(*args, **(kwargs or {}))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    function = scope.name == "__torch_function__"
    if (
        not (function or scope.name == "__torch_dispatch__")
        or not scope.class_name
        or len(scope.parameters) < 5
    ):
        return
    func, args, kwargs = scope.parameters[1], scope.parameters[3], scope.parameters[4]
    for call, spread in scope.spread_only(kwargs, 2) if function and scope.is_optional(kwargs) else ():
        if call not in scope.guarded:
            fix = replace_with(scope.site(spread), f"({kwargs} or {{}})", "Take an empty dict for None")
            yield scope.flag(spread, f"`{kwargs}` may be None, which `**` cannot spread", fix=fix)
    for call, _ in scope.spread_only(args, 1) if scope.in_class("torch.Tensor") else ():
        if scope.calls_name(call, func) and not scope.within_with(call) and call not in scope.guarded:
            yield scope.flag(
                call,
                f"comes back here with the same tensors, without end: `{func}` is to get plain ones, or `super()` asked",
            )
