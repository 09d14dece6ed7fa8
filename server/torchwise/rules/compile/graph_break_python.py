"""Compiled code hands a tensor, or a number drawn at run time, to Python where Python needs to know it.

`not t`, `x in t`, `any([t > 0])`, `round(t)`, `divmod(t, 2)`, `math.exp(t)`, `copy.deepcopy(t)`, a list
indexed by a tensor: Dynamo has no value to go on with, ends the graph and starts another one behind it. A
random int of `random` is a symbol: arithmetic with it is fine, but a branch, a slice, a range or a roll by
it is not.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading, breaks_graph, draws_in

CODE, LEVEL, LESSON = "TW512", WARNING, "08-compile#graph-breaks"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend="eager")
            def shifted(x):
                y = x + 1
                k = random.randint(0, 3)
                return torch.roll(y, k)
                       ^^^^^^^^^^^^^^^^ needs the number that was drawn

            breaks = len(torch._dynamo.explain(shifted)(torch.ones(4)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def shifted(x, k):
                y = x + 1
                return torch.roll(y, k)

            breaks = len(torch._dynamo.explain(shifted)(torch.ones(4), 2).break_reasons)
            """,
        setup="import random\n\nimport torch",
        harm=lambda bad, good: bad["breaks"] >= 1 and good["breaks"] == 0,
    ),
    Example(
        bad="""
            @torch.compile(backend="eager")
            def powered(x):
                y = x.relu()
                return pow(y, 2)
                       ^^^^^^^^^ hands a tensor to Python

            breaks = len(torch._dynamo.explain(powered)(torch.ones(4)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def powered(x):
                y = x.relu()
                return y**2

            breaks = len(torch._dynamo.explain(powered)(torch.ones(4)).break_reasons)
            """,
        setup="import torch",
        harm=lambda bad, good: bad["breaks"] >= 1 and good["breaks"] == 0,
    ),
]

SILENT = [
    """
    import random

    import torch

    @torch.compile
    def scaled(x):
        return x * random.uniform(0.5, 1.5) + random.randint(0, 3)  # arithmetic alone
    """,
]

# Python that asks a tensor for its value, as seen with Dynamo of torch 2.13.
ASKING = frozenset((
    "builtins.pow", "builtins.divmod", "builtins.round", "operator.not_", "copy.deepcopy", "builtins.range",
    "builtins.any", "builtins.all", "builtins.sorted", "operator.contains",
))  # fmt: skip
ITEMS = ("operator.getitem", "torch.nn.ModuleList.__getitem__", "torch.nn.Sequential.__getitem__")
SIZED = frozenset(("torch.roll", "Tensor.roll", "builtins.range", "Tensor.narrow", "torch.narrow"))


def check(scope: Reading) -> Iterator[Flag]:
    drawn = False
    for call in scope.calls_under("compile", "export"):
        drawn |= call.spelling.startswith("random.")
        region = breaks_graph(call) if call.part == "" else None
        if region is None:
            continue
        if _asks(call):
            yield call.flag(
                f"`{call.text}` hands a tensor to Python, and breaks the graph of the compiled code",
                **region.more,
            )
        elif (call.spelling in SIZED and any(draws_in(scope, o.ref) for o in call.operands)) or (
            call.spelling == "operator.getitem" and draws_in(scope, call.ref)
        ):
            yield call.flag(
                f"`{call.text}` needs the number that was drawn, and breaks the graph", **region.more
            )
    for test in scope.tests() if drawn else ():
        call_of = draws_in(scope, test)
        region = breaks_graph(call_of) if call_of is not None else None
        if region is not None:
            message = f"`{scope.text(test)}` branches on a number that was drawn, and breaks the graph"
            yield scope.flag(test, message, **region.more)


def _asks(call: Call) -> bool:
    tensors = [o for o in call.operands if o.tensor is not None or o.holds_tensors]
    if call.spelling == "copy.deepcopy":
        return bool(tensors) or any(o.holds_weights for o in call.operands)
    if call.spelling in ASKING or call.spelling.startswith("math."):
        return bool(tensors)
    base, index = call["self"], call["index"]
    if call.spelling not in ITEMS or base is None or index is None:
        return False
    listed = base.is_a("list") or call.spelling.startswith("torch.nn.")
    return index.sliced_by_tensor or (listed and index.tensor is not None)
