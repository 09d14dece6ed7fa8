"""Compiled code hands a tensor to Python where Python needs to know its value.

`not t`, `x in t`, `any([t > 0])`, `round(t)`, `divmod(t, 2)`, `math.exp(t)`, `copy.deepcopy(t)`, a list
indexed by a tensor: Dynamo has no value to go on with, ends the graph and starts another one behind it.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW512", WARNING, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
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
    import torch

    def powered(x):
        return pow(x.relu(), 2)  # not compiled
    """,
]

# Python that asks a tensor for its value, as seen with Dynamo of torch 2.13.
ASKING = frozenset((
    "builtins.pow", "builtins.divmod", "builtins.round", "operator.not_", "copy.deepcopy", "builtins.range",
    "builtins.any", "builtins.all", "builtins.sorted", "operator.contains",
))  # fmt: skip
ITEMS = ("operator.getitem", "torch.nn.ModuleList.__getitem__", "torch.nn.Sequential.__getitem__")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_under("compile", "export"):
        region = breaks_graph(call) if call.part == "" else None
        if region is not None and _asks(call):
            yield call.flag(
                f"`{call.text}` hands a tensor to Python, and breaks the graph of the compiled code",
                **region.more,
            )
    for copied in scope.happenings("deepcopy-traced"):
        region = breaks_graph(copied)
        if region is not None:
            yield copied.flag(f"`{copied.text}` copies tensors, and breaks the graph", **region.more)


def _asks(call: Call) -> bool:
    tensors = [o for o in call.operands if o.tensor is not None or o.holds_tensors]
    if call.spelling in ASKING or call.spelling.startswith("math."):
        return bool(tensors)
    base, index = call["self"], call["index"]
    if call.spelling not in ITEMS or base is None or index is None:
        return False
    listed = base.is_a("list") or call.spelling.startswith("torch.nn.")
    return index.sliced_by_tensor or (listed and index.tensor is not None)
