"""Projects of several files: what is looked at for one of them, and what is let go of again."""

from __future__ import annotations

from random import Random

import pytest

from torchwise.engine import Engine, door

LAYERS = """import torch
from torch import nn

def joined(x, w):
    return x @ w

class Head(nn.Module):
    def __init__(self, width={width}):
        super().__init__()
        self.inner = nn.Linear(width, 10)

    def forward(self, x):
        return self.inner(x)
"""
USER = """import torch
from layers import Head, joined

head = Head()
scores = head(torch.zeros(4, {width}))
both = joined(torch.zeros(2, {left}), torch.zeros(3, 5))
"""
ALONE = "import torch\n\nx = torch.zeros({left}, 2)\ny = x.view(5)\n"


def texts(random: Random) -> dict[str, str]:
    width, left = random.choice((8, 16)), random.choice((3, 4))
    return {
        "/p/layers.py": LAYERS.format(width=random.choice((8, 16))),
        "/p/one.py": USER.format(width=width, left=left),
        "/p/two.py": USER.format(width=16, left=3),
        "/p/alone.py": ALONE.format(left=left),
    }


def made(files: dict[str, str]) -> Engine:
    engine = Engine()
    for path, text in files.items():
        engine.set_text(path, text)
    return engine


def test_a_file_is_looked_at_with_those_that_import_it_and_no_others() -> None:
    engine = made(texts(Random(0)))
    assert engine.program.around("/p/layers.py") == ("/p/layers.py", "/p/one.py", "/p/two.py")
    assert engine.program.around("/p/one.py") == ("/p/one.py",)
    engine.findings("/p/alone.py")
    assert {scope.partition("::")[0] for scope in engine.memo.interpreted} == {"/p/alone.py"}


@pytest.mark.parametrize("seed", range(30))
def test_what_was_let_go_of_is_found_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that keeps nothing beyond the last question says what a fresh one says, and so does one that
    is asked about all files.
    """
    random = Random(seed)
    files = texts(random)
    monkeypatch.setattr(door, "KEPT_STEPS", 0)
    engine = made(files)
    for _ in range(6):
        path = random.choice(list(files))
        files[path] = texts(random)[path]
        engine.set_text(path, files[path])
        for asked in random.sample(list(files), 3):
            fresh = made(files)
            assert engine.findings(asked) == fresh.findings(asked) == fresh.survey(asked)
        assert engine.crashes == []


def test_what_is_remembered_stays_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "KEPT_STEPS", 200)
    engine = Engine()
    paths = [f"/p/f{number}.py" for number in range(40)]
    for path in paths:
        engine.set_text(path, ALONE.format(left=3) + LAYERS.format(width=8))
    first = {path: engine.findings(path) for path in paths}
    assert sum(engine.memo.steps_by_file().values()) < 2 * 200
    assert sum("module" in file.__dict__ for file in engine.program.files.values()) < 10
    assert {path: engine.findings(path) for path in paths} == first
    assert all(first.values())


def test_a_file_alone_knows_what_it_imports() -> None:
    files = texts(Random(0)) | {"/p/one.py": USER.format(width=5, left=3)}
    engine, alone = made(files), made(files)
    assert alone.alone("/p/one.py") == engine.survey("/p/layers.py") != []
    reached = [{scope.partition("::")[0] for scope in each.memo.interpreted} for each in (alone, engine)]
    assert reached[0] == {"/p/one.py", "/p/layers.py"} < reached[1]
