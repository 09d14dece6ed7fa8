"""Interpreters are asked for their devices; what is wrong with torch is told with a remedy."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path

import pytest

from torchwise.run.devices import devices_of, found_in
from torchwise.run.interpreters import Unavailable, default_interpreter
from torchwise.run.messages import Devices

CARDS = """
    __version__ = "2.13.0"
    class version: cuda, hip = "12.6", None
    class cuda:
        is_available = staticmethod(lambda: True)
        device_count = staticmethod(lambda: 2)
        get_device_name = staticmethod(lambda i: ("NVIDIA H100", "NVIDIA A10")[i])
        mem_get_info = staticmethod(lambda i: (7 * 2**30, 8 * 2**30))
    class backends: mps = None
    """
NO_CARD = """
    __version__ = "2.13.0"
    class version: cuda, hip = "12.6", None
    class cuda:
        is_available = staticmethod(lambda: False)
        @staticmethod
        def init(): raise RuntimeError({reason!r})
    class backends: mps = None
    """


async def devices_with(torch: str, folder: Path, timeout_s: float = 30.0, **variables: str) -> Devices:
    """Of this interpreter, with a torch of our making: no GPU is needed to see what is said of one."""
    (folder / "torch.py").write_text(textwrap.dedent(torch))
    own = {**os.environ, "PYTHONPATH": str(folder), **variables}
    return await devices_of(sys.executable, fresh=True, timeout_s=timeout_s, environment=own)


def said(found: Devices, about: str) -> tuple[str, str]:
    (problem,) = [row for row in found.problems if row.about == about]
    return problem.what, problem.remedy or ""


async def test_the_real_torch_is_asked() -> None:
    found = await devices_of(sys.executable, fresh=True)
    assert found.torch and found.torch.startswith("2.") and found.kernel
    cpu = found_in(found, "cpu")
    assert cpu.memory_total and cpu.memory_free and cpu.memory_free <= cpu.memory_total
    began = time.monotonic()
    assert await devices_of(sys.executable) is found and time.monotonic() - began < 0.1


async def test_a_torch_for_the_cpu_says_why_there_is_no_cuda() -> None:
    found = await devices_of(sys.executable)
    if found.built_for != "cpu":
        assert found_in(found, "cuda:0").name  # a machine with a card
        return
    what, remedy = said(found, "cuda")
    assert "built for the CPU alone" in what and "pytorch.org" in remedy
    with pytest.raises(Unavailable, match="built for the CPU alone"):
        found_in(found, "cuda:0")


async def test_cards_are_listed_with_their_memory(tmp_path: Path) -> None:
    found = await devices_with(CARDS, tmp_path)
    assert [(row.id, row.name) for row in found.devices[1:]] == [
        ("cuda:0", "NVIDIA H100"),
        ("cuda:1", "NVIDIA A10"),
    ]
    assert found.devices[1].memory_free == 7 * 2**30 and found.built_for == "cuda 12.6"
    with pytest.raises(Unavailable, match="there is no cuda:2; there are: cpu, cuda:0, cuda:1"):
        found_in(found, "cuda:2")


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("The NVIDIA driver on your system is too old (found version 11040).", "update the NVIDIA driver"),
        ("Found no NVIDIA driver on your system.", "install the NVIDIA driver"),
        ("CUDA unknown error - this may be due to an incorrectly set up environment", "nvidia-smi"),
        ("No CUDA GPUs are available", "nvidia-smi"),
    ],
)
async def test_what_the_driver_says_is_told(tmp_path: Path, reason: str, remedy: str) -> None:
    what, advice = said(await devices_with(NO_CARD.format(reason=reason), tmp_path), "cuda")
    assert reason in what and "cuda 12.6" in what and remedy in advice


async def test_hidden_cards_are_said_to_be_hidden(tmp_path: Path) -> None:
    found = await devices_with(NO_CARD.format(reason="x"), tmp_path, CUDA_VISIBLE_DEVICES="")
    assert said(found, "cuda") == ("CUDA_VISIBLE_DEVICES hides all devices", "unset CUDA_VISIBLE_DEVICES")


async def test_no_torch(tmp_path: Path) -> None:
    found = await devices_with(
        "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')", tmp_path
    )
    what, remedy = said(found, "torch")
    assert what == "there is no torch in this interpreter" and remedy.endswith("-m pip install torch")
    assert found_in(found, "cpu")


async def test_a_broken_torch(tmp_path: Path) -> None:
    what, remedy = said(
        await devices_with("raise OSError('libtorch.so: undefined symbol')", tmp_path), "torch"
    )
    assert "OSError: libtorch.so: undefined symbol" in what and "--force-reinstall" in remedy


async def test_a_torch_that_ends_its_interpreter(tmp_path: Path) -> None:
    found = await devices_with("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", tmp_path)
    assert "a segmentation fault" in said(found, "torch")[0]


async def test_a_torch_that_never_ends(tmp_path: Path) -> None:
    found = await devices_with("import time; time.sleep(60)", tmp_path, timeout_s=1.0)
    assert "longer than 1 s" in said(found, "torch")[0]


async def test_an_interpreter_that_is_not_there() -> None:
    found = await devices_of("/nowhere/python")
    assert said(found, "python")[0] == "there is no interpreter `/nowhere/python`"


def test_the_interpreter_is_that_of_the_workspace(tmp_path: Path) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    assert default_interpreter(str(tmp_path / "src"), {}) == str(python)
    assert default_interpreter(str(tmp_path / ".venv" / "bin"), {"VIRTUAL_ENV": "/nowhere"}) == str(python)
    assert default_interpreter(None, {}) == sys.executable
