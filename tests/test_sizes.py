"""Files stay small enough to be read at a sitting."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
RULE, MODULE = 120, 400  # lines


def longer(folder: str, than: int, but: frozenset[str] = frozenset()) -> list[str]:
    paths = ((path, path.relative_to(ROOT).as_posix()) for path in ROOT.joinpath(folder).rglob("*.py"))
    return [name for path, name in paths if name not in but and path.read_bytes().count(b"\n") > than]


def test_a_module_has_at_most_400_lines() -> None:
    assert longer("server", MODULE) == []


def test_a_rule_has_at_most_120_lines() -> None:
    rules = [name for name in longer("server/torchwise/rules", RULE) if name.count("/") == 4]
    assert [name for name in rules if "/vocabulary/" not in name] == []
