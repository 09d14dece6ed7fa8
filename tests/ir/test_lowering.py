"""Source and the instructions that it becomes, as written down in `lowering/*.md`.

With UPDATE_LOWERING=1 in the environment the expectations are written anew; read the difference before you
commit it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from torchwise.ir.lower import lower
from torchwise.ir.printer import print_scope
from torchwise.syntax.source import Source

_PAGES = sorted((Path(__file__).parent / "lowering").glob("*.md"))
_SECTION = re.compile(r"^## ([^\n]+)\n```python\n(.*?)```\n(?:```\n(.*?)```\n)?", re.M | re.S)


def printed(code: str) -> str:
    return "".join(print_scope(scope) for scope in lower(Source.of(code)).scopes.values())


def sections() -> Iterator[object]:
    for page in _PAGES:
        for name, code, expected in _SECTION.findall(page.read_text()):
            yield pytest.param(code, expected, id=f"{page.stem}: {name}")


def write_anew(page: Path) -> None:
    def section(found: re.Match[str]) -> str:
        return f"## {found[1]}\n```python\n{found[2]}```\n```\n{printed(found[2])}```\n"

    page.write_text(_SECTION.sub(section, page.read_text()))


if os.environ.get("UPDATE_LOWERING"):
    for each in _PAGES:
        write_anew(each)


@pytest.mark.parametrize("code, expected", list(sections()))
def test_lowering(code: str, expected: str) -> None:
    assert printed(code) == expected
