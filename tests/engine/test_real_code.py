"""Real code of all kinds is checked without a crash, and in bounded time."""

from __future__ import annotations

import sysconfig
import time
from pathlib import Path

import pytest

from torchwise.engine import Engine
from torchwise.rules import all_rules
from torchwise.syntax.encoding import decode

STDLIB = Path(sysconfig.get_path("stdlib"))
SITE = Path(sysconfig.get_path("purelib"))
LIMIT_S = 90.0  # for one file, on a busy machine; a hang takes for ever


def sample(folder: Path, every: int) -> list[Path]:
    found = sorted(p for p in folder.rglob("*.py") if "site-packages" not in p.relative_to(folder).parts)
    return found[::every]


@pytest.mark.parametrize("path", sample(STDLIB, 60), ids=lambda p: str(p.relative_to(STDLIB)))
def test_the_standard_library_is_checked(path: Path) -> None:
    assert_checked(path)


@pytest.mark.parametrize("path", sample(SITE / "torch", 70), ids=lambda p: str(p.relative_to(SITE)))
def test_torch_itself_is_checked(path: Path) -> None:
    assert_checked(path)


def assert_checked(path: Path) -> None:
    engine = Engine()
    start = time.process_time()
    engine.set_text(str(path), decode(path.read_bytes()))
    engine.findings(str(path))
    engine.hints(str(path))
    assert engine.crashes == []
    assert time.process_time() - start < LIMIT_S


def test_a_rule_that_raises_is_reported_once_and_the_others_go_on() -> None:
    good = all_rules()[0]

    def raises(_: object) -> list[object]:
        raise ValueError("on purpose")

    broken = type(good)("TW999", "broken", "test", "error", "", "", raises)  # type: ignore[arg-type]
    engine = Engine(rules=(broken, *all_rules()))
    engine.set_text(
        "/project/a.py", "import torch\n\ndef f(x):\n    return x\n\nx = torch.zeros(2, 3).view(4)\n"
    )
    names = [f.name for f in engine.findings("/project/a.py")]
    assert len(engine.crashes) == 1
    assert "on purpose" in engine.crashes[0]
    assert names != []
