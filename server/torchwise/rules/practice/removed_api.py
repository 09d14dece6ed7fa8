"""A function, method or argument that this version of torch has removed, or does not have yet.

Some removed functions are still there as names and raise when they are called; others are gone altogether. Named
tensors went with 2.13: `names=`, `refine_names`, `rename`, `align_to`, dimensions by name. What came after the version
that code is for (`--target-torch`) is not there yet. `torch.stft` of a real signal raises without `return_complex`.

Source: https://docs.pytorch.org/docs/stable/torch.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading, deprecations, versions

CODE, LEVEL, LESSON = "TW902", ERROR, "14-testing/tests#warnings-of-the-next-version"

EXAMPLES = [
    Example(
        bad="""
            rank = torch.matrix_rank(torch.eye(3))
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `torch.matrix_rank` has been removed
            """,
        good="""
            rank = torch.linalg.matrix_rank(torch.eye(3))
            """,
        setup="import torch",
        harm=RuntimeError,
    ),
    Example(
        bad="""
            spectrum = torch.stft(wave, 16)
                       ^^^^^^^^^^^^^^^^^^^^ needs `return_complex`
            """,
        good="""
            spectrum = torch.stft(wave, 16, return_complex=True)
            """,
        setup="import torch\n\nwave = torch.randn(64)",
        harm=RuntimeError,
    ),
    Example(
        bad="""
            images = torch.zeros(2, 3, names=("batch", "channel"))
                                             ^^^^^^^^^^^^^^^^^^^^ takes no `names`
            """,
        good="""
            images = torch.zeros(2, 3)
            """,
        setup="import torch",
        harm=TypeError,
    ),
    Example(
        bad="""
            images = torch.randn(2, 3).refine_names("batch", "channel")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has it no more
            """,
        good="""
            images = torch.randn(2, 3)
            """,
        setup="import torch",
        harm=AttributeError,
    ),
]

SILENT = [
    """
    import torch

    wave = torch.randn(64, dtype=torch.complex64)
    spectrum = torch.stft(wave, 16)  # complex in, complex out
    """,
    """
    import torch

    def aligned(images):
        images = images + torch.zeros(3)
        if hasattr(images, "names"):
            print(images.names)
        return images.refine_names("batch", "channel") if torch.__version__ < "2.13" else images
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if not scope.asks_version:
        yield from _absent(scope)
    for call in scope.calls_to("stft"):
        if call.spelling == "torch.stft" and "return_complex" not in call and not _may_be_complex(call):
            yield call.flag("`torch.stft` of a real signal needs `return_complex`: without it this raises")


def _absent(scope: Reading) -> Iterator[Flag]:
    gone, names = deprecations(scope.torch, removed=True), versions.absent(scope.torch)
    arguments, dimensions = versions.refused(scope.torch), versions.named_dimensions(scope.torch)
    for call in scope.calls():
        name = call.spelling
        if name in gone:
            yield call.flag(f"`{name}` has been removed" + (f"; use {gone[name]}" if gone[name] else ""))
        elif name in names:
            yield call.flag(f"`{name}`: {names[name].told}")
        for operand in call.operands if name in arguments else ():
            absence = arguments[name].get(operand.param)
            if absence is not None and operand.ref is not None:
                yield operand.flag(f"`{name}` takes no `{operand.param}`: {absence.told}")
        for operand in call.operands if call.op in dimensions and call.on_known_tensor else ():
            if operand.param in DIMENSIONS and isinstance(operand.constant, str):
                yield operand.flag(f"`{operand.text}` names a dimension: torch knows them by number alone")
    for asked in scope.happenings("tensor-asked"):
        name = f"Tensor.{asked.detail}"
        if name in names and asked.because:
            yield asked.flag(f"`{asked.text}`: {names[name].told}")


DIMENSIONS = frozenset(("dim", "dim0", "dim1", "dim2", "start_dim", "end_dim"))


def _may_be_complex(call: Call) -> bool:
    """A tenth positional argument is `return_complex`; a complex signal or window needs none."""
    if "9" in call:
        return True
    given = [call[name] for name in ("0", "input", "5", "window") if name in call]
    return any(a is None or a.tensor is None or (a.tensor.dtype or "").startswith("complex") for a in given)
