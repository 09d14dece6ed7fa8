"""Starts a kernel that sees one device: the CPU alone, or one CUDA device.

What a process sees has to be said before CUDA starts in it, so it is said in its environment. Any front end
that starts kernels by their specs gets it this way.
"""

from __future__ import annotations

import re
from typing import Any

from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import Unicode

from torchwise.jupyter.kernelspecs import cuda_devices

_DEVICE = re.compile(r"cpu|cuda:(\d+)")


class DeviceProvisioner(LocalProvisioner):
    device: str = Unicode("cpu", config=True, help="`cpu`, or `cuda:` and a number.")  # type: ignore[assignment]

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        launch: dict[str, Any] = await super().pre_launch(**kwargs)
        # After the kernelspec's own environment, which would win otherwise.
        launch["env"].update(environment(self.device, cuda_devices()))
        return launch


class NoDevice(RuntimeError):
    """The text says what is missing and what to do."""


def environment(device: str, count: int) -> dict[str, str]:
    """`count`: how many CUDA devices the driver of this machine lists."""
    found = _DEVICE.fullmatch(device)
    if found is None:
        raise NoDevice(f"`{device}` names no device: it is `cpu`, or `cuda:` and a number")
    index = found[1]
    if index is not None and int(index) >= count:
        has = "no CUDA device" if count == 0 else f"{count} CUDA device{'s' * (count > 1)}"
        raise NoDevice(f"there is no CUDA {index} here: this machine has {has}; choose Python (torch, CPU)")
    return {"CUDA_VISIBLE_DEVICES": index or "", "TORCHWISE_DEVICE": device}
