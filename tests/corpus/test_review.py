"""A judged finding is recognised when lines above it move, and no longer when its own line changes."""

from pathlib import Path

import pytest

from corpus import review
from corpus.packages import PACKAGES
from corpus.review import Key, Review


def finding(path: Path, row: int) -> dict:
    return {"filename": str(path), "name": "view-on-non-contiguous", "location": {"row": row, "column": 1}}


def key_of(path: Path, text: str, row: int) -> Key:
    path.write_text(text)
    (key,) = review.keyed("package 1.0", path.parent, [finding(path, row)])
    return key


def test_a_moved_line_is_the_same_finding_and_a_changed_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    key = key_of(path, "heads.view(4, -1)\n", row=1)
    assert key_of(path, "import torch\n\n    heads.view(4, -1)\n", row=3) == key
    assert key_of(path, "heads.view(8, -1)\n", row=1) != key


def test_equal_lines_are_told_apart_by_their_order(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("heads.view(4, -1)\n" * 2)
    keys = review.keyed("package 1.0", tmp_path, [finding(path, 1), finding(path, 2)])
    assert [key.nth for key in keys] == [0, 1]


def test_what_is_saved_is_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "REVIEWED", tmp_path / "reviewed.json")
    reviews = {
        Key("package 1.0", "model.py", "shape-mismatch", "0" * 12, 0): Review("true", "raises", "message")
    }
    review.save(reviews)
    assert review.load() == reviews


def test_the_reviews_are_of_the_pinned_packages_and_sorted() -> None:
    keys = list(review.load())
    assert keys == sorted(keys)
    assert {key.package for key in keys} <= {f"{package.name} {package.version}" for package in PACKAGES}
