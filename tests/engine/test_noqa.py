"""Comments that silence findings, and those that silence nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from torchwise.engine import Engine
from torchwise.findings import Finding
from torchwise.fixes.apply import patched
from torchwise.project.settings import Settings

PATH = "/p/a.py"
WRONG = "import torch\ny = torch.zeros(2, 3).view(5)"


def told(text: str, settings: Settings | None = None) -> Sequence[Finding]:
    engine = Engine(settings or Settings())
    engine.set_text(PATH, text)
    assert engine.crashes == []
    return engine.survey(PATH)


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("", ["TW302"]),
        ("  # noqa", []),
        ("  # noqa: TW302", []),
        ("  # noqa: E501", ["TW302"]),
        ("  # torchwise: ignore", []),
        ("  # torchwise: ignore[shape-mismatch]", []),
        ("  # torchwise: ignore[view-on-non-contiguous]", ["TW001", "TW302"]),
        ("  # noqa: TW301, TW302", ["TW001"]),
    ],
)
def test_a_comment_silences_what_it_names(comment: str, codes: list[str]) -> None:
    assert sorted(finding.code for finding in told(f"{WRONG}{comment}\n")) == codes


@pytest.mark.parametrize(
    ("comment", "silent"),
    [
        ("# noqa: E501", "of others"),
        ("# noqa", "of whoever it may be"),
        ("# torchwise: ignore[no-such-rule]", "of none"),
        ("# see `noqa: TW301` in the manual", "speaks of it only"),
    ],
)
def test_comments_that_are_not_judged(comment: str, silent: str) -> None:
    assert told(f"import torch\nx = torch.zeros(2)  {comment}\n") == [], silent


def test_a_rule_that_is_off_leaves_its_comments_alone() -> None:
    text = "import torch\nx = torch.zeros(2)  # noqa: TW302\n"
    assert [f.message for f in told(text)] == ["silences nothing of `TW302`"]
    assert told(text, Settings(ignore=("shape-mismatch",))) == []
    assert told(text, Settings(ignore=("TW001",))) == []


def test_the_fix_takes_the_comment_away_with_the_blanks_before_it() -> None:
    text = "import torch\nx = torch.zeros(2)  # noqa: TW302\ny = 1  # noqa: TW302 because of x\n"
    first, second = told(text)
    assert second.fix is None
    assert first.fix is not None
    assert patched({(PATH, None): text}, [first.fix]) == {
        (PATH, None): text.replace("  # noqa: TW302\ny", "\ny")
    }
