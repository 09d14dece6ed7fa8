"""A function that this version of torch has removed, or a call form that it no longer takes.

Removed functions are still there as names and raise when they are called. `torch.stft` of a real signal
raises without
`return_complex`.

Source: https://docs.pytorch.org/docs/stable/torch.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading, deprecations

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
]

SILENT = [
    """
    import torch

    wave = torch.randn(64, dtype=torch.complex64)
    spectrum = torch.stft(wave, 16)  # complex in, complex out
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    gone = deprecations(scope.torch, removed=True)
    for call in scope.calls():
        if call.spelling in gone:
            instead = gone[call.spelling]
            yield call.flag(f"`{call.spelling}` has been removed" + (f"; use {instead}" if instead else ""))
        elif call.spelling == "torch.stft" and "return_complex" not in call and not _may_be_complex(call):
            yield call.flag("`torch.stft` of a real signal needs `return_complex`: without it this raises")


def _may_be_complex(call: Call) -> bool:
    """A tenth positional argument is `return_complex`; a complex signal or window needs none."""
    if "9" in call:
        return True
    given = [call[name] for name in ("0", "input", "5", "window") if name in call]
    return any(a is None or a.tensor is None or (a.tensor.dtype or "").startswith("complex") for a in given)
