"""How to call conversions of dtype, device and memory format."""

import torch

from tests.ops.calls import calls


@calls("Tensor.to")
def _(r):
    options = (torch.float64, torch.float32, "cpu", "meta", torch.device("meta"), r.tensor(dtype=torch.int64))
    return [r.tensor(), r.choice(options)], {"copy": True} if r.maybe(0.1) else {}


@calls(
    "Tensor.float",
    "Tensor.double",
    "Tensor.half",
    "Tensor.bfloat16",
    "Tensor.int",
    "Tensor.long",
    "Tensor.bool",
    "Tensor.cpu",
)
def _(r):
    return [r.tensor(dtype=None)], {}


@calls("Tensor.contiguous format", "Tensor.clone format")
def _(r):
    form = r.choice((torch.contiguous_format, torch.channels_last))
    return [r.tensor(tuple(r.randint(1, 3) for _ in range(4)))], {"memory_format": form}
