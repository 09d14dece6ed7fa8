"""Kernels of further CUDA devices: one kernelspec each, beside those of CPU and CUDA 0 that are installed.

How many there are is known only where the server runs. They are counted as the driver lists them; neither
torch nor CUDA is loaded.
"""

from __future__ import annotations

import json
from pathlib import Path

DRIVER = Path("/proc/driver/nvidia/gpus")
FOLDER = "torchwise-kernels"


def cuda_devices(driver: Path = DRIVER) -> int:
    try:
        return sum(1 for _ in driver.iterdir())
    except OSError:
        return 0


def kernelspec(device: str) -> dict[str, object]:
    """`device`: `cpu` or `cuda:1`, as the provisioner takes it."""
    name = "CPU" if device == "cpu" else device.upper().replace(":", " ")
    provisioner = {"provisioner_name": "torchwise-device", "config": {"device": device}}
    return {
        "argv": ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": f"Python (torch, {name})",
        "language": "python",
        "interrupt_mode": "signal",
        "metadata": {"debugger": True, "kernel_provisioner": provisioner, "torchwise": {"device": device}},
    }


def write_further(runtime: Path, count: int) -> Path:
    """Specs of the devices from 1 on, in a folder that Jupyter can be told to look into."""
    folder = runtime / FOLDER
    for index in range(1, count):
        home = folder / f"torchwise-cuda-{index}"
        home.mkdir(parents=True, exist_ok=True)
        (home / "kernel.json").write_text(json.dumps(kernelspec(f"cuda:{index}"), indent=1))
    return folder
