"""Kernels of a device: their specs, and what a process that is started by them sees."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jupyter_client.manager import AsyncKernelManager

from torchwise.jupyter import provisioner
from torchwise.jupyter.kernelspecs import cuda_devices, kernelspec, write_further
from torchwise.jupyter.provisioner import NoDevice, environment

INSTALLED = Path(__file__).parents[2] / "lab-extension" / "jupyter" / "kernels"
SEES = (
    "import os, json; print(json.dumps([os.environ['CUDA_VISIBLE_DEVICES'], os.environ['TORCHWISE_DEVICE']]))"
)


@pytest.mark.parametrize(("name", "device"), [("torchwise-cpu", "cpu"), ("torchwise-cuda-0", "cuda:0")])
def test_installed_specs_are_those_that_are_written(name: str, device: str) -> None:
    assert json.loads((INSTALLED / name / "kernel.json").read_text()) == kernelspec(device)


def test_a_spec_for_each_further_device(tmp_path: Path) -> None:
    for index in range(3):
        (tmp_path / "driver" / f"gpu{index}").mkdir(parents=True)
    assert cuda_devices(tmp_path / "driver") == 3
    assert cuda_devices(tmp_path / "nowhere") == 0
    folder = write_further(tmp_path, 3)
    names = [
        json.loads((spec / "kernel.json").read_text())["display_name"] for spec in sorted(folder.iterdir())
    ]
    assert names == ["Python (torch, CUDA 1)", "Python (torch, CUDA 2)"]


def test_what_a_device_lets_a_process_see() -> None:
    assert environment("cpu", 2)["CUDA_VISIBLE_DEVICES"] == ""
    assert environment("cuda:1", 2)["CUDA_VISIBLE_DEVICES"] == "1"


@pytest.mark.parametrize(
    ("device", "count", "said"),
    [
        ("cuda:0", 0, "this machine has no CUDA device"),
        ("cuda:2", 2, "this machine has 2 CUDA devices"),
        ("tpu", 1, "names no device"),
    ],
)
def test_a_device_that_is_not_there_is_named(device: str, count: int, said: str) -> None:
    with pytest.raises(NoDevice, match=said):
        environment(device, count)


async def started(device: str, folder: Path) -> list[str]:
    home = folder / "kernels" / "one"
    home.mkdir(parents=True)
    (home / "kernel.json").write_text(json.dumps(kernelspec(device)))
    manager = AsyncKernelManager(kernel_name="one")
    manager.kernel_spec_manager.kernel_dirs = [str(home.parent)]
    await manager.start_kernel(env={**os.environ, "CUDA_VISIBLE_DEVICES": "7"})
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        said: list[str] = []
        await client.execute_interactive(
            SEES, output_hook=lambda message: said.append(message["content"].get("text", ""))
        )
        found: list[str] = json.loads("".join(said))
        return found
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


async def test_a_kernel_sees_the_device_of_its_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await started("cpu", tmp_path / "cpu") == ["", "cpu"]
    monkeypatch.setattr(provisioner, "cuda_devices", lambda: 1)
    assert await started("cuda:0", tmp_path / "cuda") == ["0", "cuda:0"]


async def test_a_kernel_of_a_missing_device_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(NoDevice):
        await started("cuda:90", tmp_path)
