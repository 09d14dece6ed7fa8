"""What breaks a graph, and what torch deprecates."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from functools import cache

from torchwise.domain.value import Region
from torchwise.facts import facts_for, release, versions
from torchwise.rules import structure
from torchwise.rules.rule import ERROR, HINT

if typing.TYPE_CHECKING:
    from torchwise.rules.vocabulary.call import Call
    from torchwise.rules.vocabulary.happening import Happening
    from torchwise.rules.vocabulary.reading import Reading


@dataclass(frozen=True)
class Breaking:
    """A compiled region in which something breaks the graph. `whole`: it must be one graph, so that
    breaking fails.
    """

    @property
    def exports(self) -> bool:
        """Whether it is torch.export, which runs Python as it traces."""
        return self.region.kind == "export"

    region: Region
    whole: bool

    @property
    def more(self) -> dict[str, typing.Any]:
        """What a flag about it adds: the compiled entry as related place, and the level."""
        because = ((self.region.at, "compiled here"),) if self.region.at is not None else ()
        return {"because": because, "level": ERROR if self.whole else None}

    @property
    def softened(self) -> dict[str, typing.Any]:
        """The same for a break that is meant, or cannot be helped: a hint, but where the whole must be one graph."""
        return {**self.more, "level": ERROR if self.whole else HINT}


def breaks_graph(what: Call | Happening) -> Breaking | None:
    """The compiled region that this is certainly part of; None where it is compiled nowhere, or disabled."""
    found = [r for r in what.regions if r.kind in ("compile", "export", "in-graph")]
    if not found or found[-1].mode == "disabled" or found[-1].kind == "in-graph":
        return None
    if any(r.kind == "guard" and r.mode in ("maybe", "compiling") for r in what.regions):
        return None  # not certain to run while it is traced
    return Breaking(found[-1], found[-1].mode == "fullgraph" or found[-1].kind == "export")


DRAWS = frozenset(
    f"random.{n}" for n in ("randint", "randrange", "uniform", "gauss", "random", "getrandbits")
)


def draws_in(reading: Reading, ref: int | None) -> Call | None:
    """A call of Python's `random` that an expression is made of."""
    inner = (reading.call_made(r) for r in structure.calls_within(reading.facts.scope, ref))
    return next((c for c in inner if c is not None and c.spelling in DRAWS), None)


@cache
def deprecations(torch: str | None, removed: bool = False) -> dict[str, str | None]:
    """What a version of torch (None: the newest) deprecates whatever the arguments are, or has removed: name,
    and what takes its place.
    """
    known = facts_for(torch or versions()[-1]).deprecations
    return {d.name: d.replacement for d in known if d.when is None and (d.kind == "removed") is removed}


@cache
def untraced(torch: str | None) -> frozenset[str]:
    """What the Dynamo of a version of torch (None: the newest) ends a graph at."""
    wanted = release(torch or versions()[-1])
    return UNTRACED.union(*(names for since, names in TRACED_SINCE.items() if wanted < release(since)))


# Seen with Dynamo of 2.12 and of 2.13, which is the first to take these into a graph. Nothing went the other way.
TRACED_SINCE = {
    "2.13": frozenset((
        "builtins.bin", "builtins.hash", "builtins.hex", "builtins.oct", "torch.nn.Module.state_dict",
    )),
}  # fmt: skip
# Seen with Dynamo of torch 2.13, construct by construct.
UNTRACED = frozenset((
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
