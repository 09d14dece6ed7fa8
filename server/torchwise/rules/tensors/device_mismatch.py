"""Two tensors meet that live on different devices.

Operators want all their tensors on one device; only a CPU tensor without axes may join. A tensor made with
`torch.zeros(...)` is on the CPU
whatever the model does: make it with `device=x.device`.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW312", ERROR, "02-tensors/making#devices"

EXAMPLES = [
    Example(
        bad="""
            shifted = images + noise
                      ^^^^^^^^^^^^^^ `noise` is on cpu, but meta is needed
            """,
        good="""
            shifted = images + noise.to("meta")
            """,
        setup="""
            import torch

            images = torch.empty(4, 3, device="meta")
            noise = torch.randn(4, 3)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def shift(images, device):
        return images.to(device) + torch.randn(4, 3, device=device)  # one device, whichever
    """,
    """
    import torch

    scaled = torch.empty(4, 3, device="meta") * torch.tensor(2.0)  # a CPU scalar may join
    """,
    """
    import torch

    sizes = torch.mm(torch.empty(3, 4, device="meta"), torch.randn(4, 2)).shape  # products take both
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("device"):
        for broken in call.breaks("device"):
            if call.op not in ("numpy", "pack_padded_sequence") and not call.chooses_device(broken):
                yield call.refuses(broken)
                break
