"""Compiled code calls something that Dynamo cannot take into a graph.

Recurrent layers, `backward`, an optimizer's step, seeds, clocks, files, frames, locks, and functions under
`torch.compiler.disable`: the graph ends there, the call runs in Python, and another graph begins behind it (a hint, where
that was asked for, or at a recurrent layer, which Dynamo leaves alone). What can be traced grows with each version: `hash`, `hex` and the `state_dict` of a module are since 2.13, and break the
graph of code that is for 2.12 (`--target-torch`).

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading, breaks_graph, untraced

CODE, LEVEL, LESSON = "TW504", WARNING, "08-compile/graphs#what-breaks-a-graph"

EXAMPLES = [
    Example(
        bad="""
            @torch.compile(backend="eager")
            def noisy(x):
                y = x + 1
                torch.manual_seed(0)
                ^^^^^^^^^^^^^^^^^^^^ breaks the graph
                return y * 2

            breaks = len(torch._dynamo.explain(noisy)(torch.ones(3)).break_reasons)
            """,
        good="""
            @torch.compile(backend="eager")
            def noisy(x):
                y = x + 1
                return y * 2

            torch.manual_seed(0)
            breaks = len(torch._dynamo.explain(noisy)(torch.ones(3)).break_reasons)
            """,
        setup="import torch",
        harm=lambda bad, good: bad["breaks"] == 1 and good["breaks"] == 0,
    ),
]

SILENT = [
    """
    import math

    import torch
    from torch import nn

    cell = nn.LSTMCell(2, 2)

    @torch.compile
    def stepped(x):
        h, c = cell(x * math.sqrt(2))  # one step of it can be traced
        return h
    """,
]

WEIGHTED = re.compile(  # layers that make parameters
    r"torch\.nn\.(Linear|Bilinear|Conv\w+|Embedding\w*|LayerNorm|BatchNorm..|GroupNorm|PReLU|MultiheadAttention|\w+Cell)$"
)
RECURRENT = re.compile(r"torch\.nn\.(LSTM|GRU|RNN)\b")  # nothing in the code can mend it
HOOKS = frozenset(("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"))


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_under("compile", "export"):
        if call.part == "" and _breaks(call):
            region = breaks_graph(call)
            if region is not None and not region.exports:
                more = region.softened if RECURRENT.match(call.spelling) else region.more
                yield call.flag(_SAID["called"].format(call.name), **more)
    for what in scope.happenings("disabled-called", "context-entered", "class-defined", "backward-hooked"):
        region = breaks_graph(what)
        if region is not None and not region.exports:
            more = region.softened if what.kind == "disabled-called" else region.more
            yield what.flag(_SAID[what.kind].format(what.callee or what.text), **more)


_SAID = {
    "called": "`{}` breaks the graph of the compiled code it runs in",
    "disabled-called": "`{}` is kept out of the compiled code, and breaks its graph",
    "context-entered": "`{}` is a context that Dynamo cannot enter: it breaks the graph of the compiled code",
    "class-defined": "a class is defined in compiled code, and breaks its graph",
    "backward-hooked": "`{}` has backward hooks, and breaks the graph of the compiled code",
}


def _breaks(call: Call) -> bool:
    return (
        call.spelling in untraced(call.reading.torch)
        or call.tagged("step")
        or _text_of_tensor(call)
        or _makes_parameters(call)
    )


def _makes_parameters(call: Call) -> bool:
    """A layer made anew, a hook, a leaf that requires grad; a draw from a generator of one's own."""
    wants = call["requires_grad"]
    leaf = wants is not None and wants.constant is True and call.makes_tensor
    own = call["generator"]
    drawn = call.makes_tensor and own is not None and own.is_a("torch.Generator")
    if call.spelling.startswith("numpy.random."):  # a number; with a size it is an array, which is fine
        home = call.spelling.removeprefix("numpy.random.").partition(".")[0]
        return home == "Generator" or (home != "RandomState" and call.gives_number)
    hooked = call.tagged("hook") and call.op in HOOKS
    return drawn or leaf or hooked or WEIGHTED.match(call.spelling) is not None


def _text_of_tensor(call: Call) -> bool:
    """`str(t)` and `repr(t)` need the numbers; an f-string that nobody reads does not; `sorted(t)` compares."""
    given = call["object"] or call["iterable"] or call["0"]
    named = ("builtins.str", "builtins.repr", "builtins.sorted")
    return call.spelling in named and given is not None and given.tensor is not None
