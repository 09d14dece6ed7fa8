"""Compiled code calls something that Dynamo cannot take into a graph.

Recurrent layers, `backward`, an optimizer's step, seeds, clocks, files, frames, locks, and functions under
`torch.compiler.disable`: the graph ends there, the call runs in Python, and another graph begins behind it.

Source: https://docs.pytorch.org/docs/stable/torch.compiler_faq.html#graph-breaks
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Call, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW504", WARNING, "08-compile#graph-breaks"

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

# Seen with Dynamo of torch 2.13, construct by construct.
BREAKING = frozenset((
    "torch.nn.LSTM.__call__", "torch.nn.GRU.__call__", "torch.nn.RNN.__call__", "torch.nn.utils.rnn.pack_padded_sequence",
    "torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "torch.initial_seed", "random.seed",
    "random.random", "random.choice", "random.shuffle", "random.sample", "numpy.random.choice", "numpy.interp",
    "time.time", "time.perf_counter", "time.monotonic", "time.sleep", "builtins.open", "builtins.input", "builtins.globals",
    "builtins.eval", "builtins.exec", "builtins.breakpoint", "os.path.exists", "gc.collect", "inspect.stack",
    "inspect.currentframe", "sys._getframe", "sys.getsizeof", "traceback.print_stack", "torch.save", "torch.load",
    "torch.set_num_threads", "torch.get_num_threads", "torch.cuda.memory_allocated", "torch.cuda.device_count",
    "torch.sparse_coo_tensor", "torch.sparse.mm", "torch.distributions.kl_divergence", "torch.distributions.kl.kl_divergence",
    "torch.allclose", "torch.equal", "Tensor.allclose", "Tensor.equal", "torch._dynamo.graph_break", "torch.Generator",
    "Tensor.requires_grad_", "Tensor.retain_grad", "Tensor.backward", "torch.autograd.backward", "torch.autograd.grad",
    "Tensor.resize_", "Tensor.random_", "Tensor.untyped_storage", "Tensor.storage", "torch.bincount",
    "torch.nn.CTCLoss.__call__", "torch.nn.functional.ctc_loss", "datetime.datetime.now", "numpy.pad",
    "torch.testing.assert_close", "torch.is_nonzero", "torch.nested.nested_tensor", "numpy.random.default_rng",
    "threading.Thread", "subprocess.run", "uuid.uuid4", "torch.nn.Parameter", "torch.nn.parameter.Parameter",
    "warnings.catch_warnings", "contextlib.ExitStack", "contextlib.redirect_stdout", "torch.autograd.detect_anomaly",
    "torch.autograd.graph.saved_tensors_hooks", "torch.autograd.set_detect_anomaly", "json.dumps", "zlib.crc32",
    "hashlib.md5", "hashlib.sha256", "hashlib.sha1", "pprint.pprint", "heapq.heapify", "heapq.heappop", "heapq.heappush",
    "bisect.bisect", "bisect.bisect_left", "bisect.bisect_right", "types.SimpleNamespace", "copy.copy",
    "sys.stdout.write", "sys.stdout.flush", "sys.stderr.write", "sys.stderr.flush", "dataclasses.asdict",
    "torch.backends.mps.is_available", "torch.can_cast", "torch.is_inference_mode_enabled", "Tensor.is_inference",
    "Tensor.is_pinned", "Tensor.pin_memory", "Tensor.share_memory_", "Tensor.apply_", "Tensor.map_",
    "torch.autograd.functional.jacobian", "torch.func.stack_module_state", "torch.combinations", "numpy.save",
    "numpy.savez", "numpy.vectorize", "numpy.unique", "numpy.testing.assert_allclose", "numpy.prod",
))  # fmt: skip
WEIGHTED = re.compile(  # layers that make parameters
    r"torch\.nn\.(Linear|Bilinear|Conv\w+|Embedding\w*|LayerNorm|BatchNorm..|GroupNorm|PReLU|MultiheadAttention|\w+Cell)$"
)
HOOKS = frozenset(("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"))


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_under("compile", "export"):
        if call.part == "" and _breaks(call):
            region = breaks_graph(call)
            if region is not None and not region.exports:
                yield call.flag(
                    f"`{call.name}` breaks the graph of the compiled code it runs in", **region.more
                )
    for what in scope.happenings("disabled-called", "context-entered", "class-defined", "backward-hooked"):
        region = breaks_graph(what)
        if region is not None and not region.exports:
            yield what.flag(f"{_SAID[what.kind].format(what.callee or what.text)}", **region.more)


_SAID = {
    "disabled-called": "`{}` is kept out of the compiled code, and breaks its graph",
    "context-entered": "`{}` is a context that Dynamo cannot enter: it breaks the graph of the compiled code",
    "class-defined": "a class is defined in compiled code, and breaks its graph",
    "backward-hooked": "`{}` has backward hooks, and breaks the graph of the compiled code",
}


def _breaks(call: Call) -> bool:
    return (
        call.spelling in BREAKING or call.tagged("step") or _text_of_tensor(call) or _makes_parameters(call)
    )


def _makes_parameters(call: Call) -> bool:
    """A layer made anew, a hook, a leaf that requires grad; a draw from a generator of one's own."""
    wants = call["requires_grad"]
    leaf = wants is not None and wants.constant is True and call.makes_tensor
    own = call["generator"]
    drawn = call.makes_tensor and own is not None and own.is_a("torch.Generator")
    if call.spelling.startswith("numpy.random."):  # a number; with a size it is an array, which is fine
        return call.gives_number or call.spelling.startswith("numpy.random.Generator.")
    return (
        drawn
        or leaf
        or WEIGHTED.match(call.spelling) is not None
        or (call.tagged("hook") and call.op in HOOKS)
    )


def _text_of_tensor(call: Call) -> bool:
    """`str(t)` and `repr(t)` need the numbers; an f-string that nobody reads does not; `sorted(t)`
    compares them.
    """
    given = call["object"] or call["iterable"] or call["0"]
    named = call.spelling in ("builtins.str", "builtins.repr", "builtins.sorted")
    return named and given is not None and given.tensor is not None
