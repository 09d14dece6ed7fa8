"""How to call linear algebra and Fourier transforms."""

from typing import Any

import torch

from tests.ops.calls import both, calls
from tests.ops.draw import Draw


@calls(
    "torch.linalg.det",
    "torch.linalg.slogdet",
    "torch.linalg.inv",
    "torch.linalg.matrix_exp",
    "torch.linalg.eigvalsh",
    "torch.linalg.eigh",
    "torch.linalg.eig",
    lenient=True,
)
def _(r):
    n = r.choice((1, 2, 3))
    return [eye(r, r.shape(0, 1), n)], {}


def eye(r: Draw, batch: tuple[int, ...], n: int) -> Any:
    drawn = r.tensor((*batch, n, n))
    drawn.real.copy_(torch.eye(n) * 2)
    return drawn


@calls(
    "torch.linalg.svd",
    "torch.linalg.qr",
    "torch.linalg.svdvals",
    "torch.linalg.pinv",
    "torch.linalg.matrix_norm",
    "torch.svd",
    lenient=True,
)
def _(r):
    return [r.tensor((*r.shape(0, 1), r.choice((1, 2, 3)), r.choice((2, 3))))], {}


@calls("torch.linalg.svd full", lenient=True)
def _(r):
    return [r.tensor((2, 3, 5))], {"full_matrices": r.maybe(0.5)}


@calls("torch.linalg.solve", lenient=True)
def _(r):
    n, batch = r.choice((2, 3)), r.shape(0, 1)
    return [eye(r, batch, n), r.tensor((*batch, n, r.choice((1, 2))) if r.maybe(0.6) else (n,))], {}


@calls(*both("trace"), lenient=True)
def _(r):
    return [r.tensor(r.shape(2, 2) if r.maybe(0.9) else r.shape(), None)], {}


@calls(
    "torch.fft.fft",
    "torch.fft.ifft",
    "torch.fft.rfft",
    "torch.fft.irfft",
    "torch.fft.hfft",
    "torch.fft.ihfft",
    lenient=True,
)
def _(r):
    x = r.tensor(r.shape(1, 3), r.choice((torch.float32, torch.int64, torch.complex64)))
    return [x], {"dim": r.axis(x.real.dim())} | ({"n": r.randint(1, 6)} if r.maybe(0.4) else {})


@calls(
    "torch.fft.fft2", "torch.fft.rfft2", "torch.fft.irfft2", "torch.fft.fftn", "torch.fft.rfftn", lenient=True
)
def _(r):
    return [r.tensor(r.shape(1, 3), r.choice((torch.float32, torch.complex64)))], {}


@calls("torch.fft.fftfreq", "torch.fft.rfftfreq")
def _(r):
    return [r.randint(1, 6)], {}


@calls(*both("stft"), lenient=True)
def _(r):
    x = r.tensor((*r.shape(0, 1), r.randint(6, 12)))
    return [x, 4], {
        "return_complex": True,
        "center": r.maybe(0.5),
        "hop_length": r.randint(1, 3),
        "onesided": r.maybe(0.5),
        "window": r.tensor((4,)),
    }


@calls("torch.view_as_complex", lenient=True)
def _(r):
    return [r.tensor((*r.shape(0, 2), 2))], {}


@calls("torch.view_as_real")
def _(r):
    return [r.tensor(dtype=torch.complex64)], {}
