"""Signatures that are read are those that torch itself tells."""

from __future__ import annotations

import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from torchwise.lessons.notes import notes
from torchwise.lessons.signatures import packages_of, shown, signatures

PACKAGES = packages_of(None)
NAMES = sorted({note.symbol for note in notes().values()})


def read(symbol: str) -> tuple[str, ...]:
    assert PACKAGES is not None
    return signatures(PACKAGES, symbol)


def parameters(text: str) -> list[str]:
    inner = text.partition("(")[2].rpartition(") -> ")[0] or text.partition("(")[2][:-1]
    flat = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", inner)))
    flat = re.sub(r"\([^()]*\)", "", flat)
    return [
        re.match(r"\**(\w*)", part.strip())[1] for part in flat.split(",") if part.strip() not in ("*", "/")
    ]  # type: ignore[index]


def told(symbol: str) -> list[str] | None:
    """By torch, where Python can tell at all: built-ins have no signature."""
    try:
        found = inspect.signature(pkgutil.resolve_name(symbol))
    except (TypeError, ValueError):
        return None
    known = [each for each in found.parameters.values() if each.name not in ("self", "cls", "ctx")]
    if any(each.kind is each.POSITIONAL_ONLY for each in known):
        return None  # their names are not part of the call
    return [each.name for each in known]


@pytest.mark.parametrize("symbol", NAMES)
def test_what_is_read_is_what_torch_tells(symbol: str) -> None:
    found, wanted = read(symbol), told(symbol)
    if found and wanted and wanted not in (["args", "kwargs"], ["args"]):
        assert wanted in [parameters(text) for text in found]


def test_nearly_every_api_with_a_note_has_a_signature() -> None:
    missing = [symbol for symbol in NAMES if not read(symbol)]
    assert len(missing) <= len(NAMES) // 20, missing


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("torch.nn.functional.relu", "relu(input: Tensor, inplace: bool = False) -> Tensor"),
        ("torch.Tensor.item", "item() -> Number"),
        ("torch.optim.Optimizer.zero_grad", "zero_grad(set_to_none: bool = True)"),
        ("torch.nn.BatchNorm2d", "BatchNorm2d(num_features: int, eps: float = 1e-5"),  # of its base
        ("torch.nn.functional.conv2d", "conv2d(input, weight, bias=None"),  # only a docstring says so
    ],
)
def test_a_name_is_followed_to_where_it_is_defined(symbol: str, text: str) -> None:
    assert read(symbol)[0].startswith(text)


def test_overloads_are_counted_and_long_ones_broken() -> None:
    found = read("torch.max_pool2d") or read("torch.randn")
    text = shown("torch.randn", read("torch.randn"))
    assert text.startswith("torch.randn(\n    *size: _int | SymInt,\n") and text.endswith(" more")
    assert len(found) > 3 or text


@pytest.mark.parametrize(
    "symbol", ["torch.no_such_thing", "nothing.at.all", "torch", "", "torch.nn.Linear.nope"]
)
def test_what_is_not_there_has_none(symbol: str) -> None:
    assert read(symbol) == ()


def test_another_environment_is_found_by_its_interpreter(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "python3.12" / "site-packages" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .own import scaled as made\n")
    (package / "own.py").write_text("def scaled(x, by: int = 2) -> int:\n    raise SystemExit\n")
    packages = packages_of(str(tmp_path / "bin" / "python"))
    assert packages == package.parent
    assert signatures(packages, "torch.made") == ("made(x, by: int = 2) -> int",)
    assert packages_of(str(tmp_path / "nowhere" / "bin" / "python")) is None


def test_circles_of_imports_end(tmp_path: Path) -> None:
    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").write_text("from torch.a import *\nfrom torch.a import x\n")
    (package / "a.py").write_text("from torch import *\nfrom torch import x\n")
    assert signatures(tmp_path, "torch.x") == ()


def test_nothing_of_torch_is_imported() -> None:
    code = "import sys\nfrom torchwise.lessons.signatures import *\n"
    code += "print(len(signatures(packages_of(None), 'torch.nn.Linear')), 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 False\n"
    assert "torch" in sys.modules and torch.__version__
