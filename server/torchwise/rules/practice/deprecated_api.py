"""A function or class that this version of torch says is deprecated.

It still works, and goes away in some later version. The names, and what takes their place, come from
torch's own
warnings and docstrings.

Source: https://docs.pytorch.org/docs/stable/torch.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Call, Example, Flag, Reading, deprecations

CODE, LEVEL, LESSON = "TW901", HINT, "14-testing/tests#warnings-of-the-next-version"

EXAMPLES = [
    Example(
        bad="""
            steps = torch.range(0, 3)
                    ^^^^^^^^^^^^^^^^^ `torch.range` is deprecated
            """,
        good="""
            steps = torch.arange(0, 4)
            """,
        setup="import torch",
        harm=lambda bad, good: bad["steps"].shape == good["steps"].shape,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    from torch.nn.utils.parametrizations import weight_norm  # not the deprecated one
    from torch import nn

    layer = weight_norm(nn.Linear(2, 2))
    """,
]

# What torch's own messages leave out, with the place that says it.
MORE = {
    "torch.range": "torch.arange, which leaves the end out",  # torch.range, Note
    "Tensor.storage": "untyped_storage()",  # torch/storage.py, _warn_typed_storage_removal
    "torch.norm": "torch.linalg.vector_norm or torch.linalg.matrix_norm",  # torch.norm, Warning
    "torch.cuda.amp.autocast": 'torch.amp.autocast("cuda")',
    "torch.cuda.amp.GradScaler": 'torch.amp.GradScaler("cuda")',
    "torch.cpu.amp.autocast": 'torch.amp.autocast("cpu")',
    "torch.cpu.amp.GradScaler": 'torch.amp.GradScaler("cpu")',
    "torch.backends.cuda.sdp_kernel": "torch.nn.attention.sdpa_kernel",
}
ELSEWHERE = ("torch.jit.", "torch.nn.init.")  # rules of their own
QUIET = frozenset((
    "torch.norm",  # said in the docstring alone, in code that is everywhere
    "torch.nn.attention.flex_attention.flex_attention",  # one of its arguments is
))  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    known = {} if scope.asks_version else deprecations(scope.torch)
    for call in scope.calls():
        name = spelled(call, known)
        if name is not None and name not in QUIET:
            instead = MORE.get(name) or known.get(name)
            yield call.flag(
                f"`{name}` is deprecated" + (f"; use {instead}" if instead else ""), part="header"
            )


def spelled(call: Call, known: dict[str, str | None]) -> str | None:
    """The import path under which a deprecated thing is called."""
    listed = call.spelling in known and not call.spelling.startswith(ELSEWHERE)
    return call.spelling if listed or call.spelling in MORE else None
