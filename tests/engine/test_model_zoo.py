"""A zoo of entries that hand numbers to one maker: each entry alone does not build the whole model."""

from __future__ import annotations

from torchwise.engine import Engine
from torchwise.findings import Finding
from torchwise.project.program import CROWD, POPULAR

MAKER = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width, mix):
        super().__init__()
        self.first = nn.Linear(8, width)
        self.last = nn.Linear(mix, 4)

    def forward(self, x):
        return self.last(self.first(x))

def make(width, mix):
    return Net(width, mix)
"""
ENTRY = "\ndef small_{n}():\n    return make({n}, {n})\n"
NAMED = "\ndef small_{n}():\n    net = make({n}, {n})\n    return net\n"
USED = "\ndef small_{n}():\n    net = make({n}, {n})\n    net(torch.zeros(2, 8))\n    return net\n"
CALLED = "\nwrong = make(8, 6)\nscores = wrong(torch.zeros(2, 8))\n"


def engine_of(files: dict[str, str]) -> Engine:
    engine = Engine()
    for path, text in files.items():
        engine.set_text(path, text)
    return engine


def looked_at(engine: Engine) -> list[Finding]:
    found = [f for path in sorted(engine.program.files) for f in engine.findings(path)]
    assert engine.crashes == []
    return found


def calls_of(name: str, files: dict[str, str]) -> int:
    engine = engine_of(files)
    looked_at(engine)
    entered = {v for v in engine.memo.entries if v.scope.endswith(f"::{name}")}
    return len([v for v in entered if v.args is not None])


def zoo(entry: str, count: int) -> str:
    return MAKER + "".join(entry.format(n=n) for n in range(1, count + 1))


def test_few_entries_are_followed() -> None:
    assert calls_of("make", {"/p/zoo.py": zoo(ENTRY, CROWD)}) == CROWD


def test_of_many_entries_none_is_followed() -> None:
    assert calls_of("make", {"/p/zoo.py": zoo(ENTRY, CROWD + 1)}) == 0
    assert calls_of("make", {"/p/zoo.py": zoo(NAMED, CROWD + 1)}) == 0


def test_what_is_done_with_the_model_is_followed() -> None:
    assert calls_of("make", {"/p/zoo.py": zoo(USED, CROWD + 1)}) == CROWD + 1


def test_a_maker_that_many_files_import() -> None:
    part = "from zoo import make\n" + ENTRY
    few = {f"/p/part_{n}.py": part.format(n=n) for n in range(1, POPULAR + 1)}
    assert calls_of("make", {"/p/zoo.py": MAKER, **few}) == POPULAR
    many = {**few, "/p/more.py": part.format(n=POPULAR + 1)}
    assert calls_of("make", {"/p/zoo.py": MAKER, **many}) == 0


def test_calls_that_are_made_are_followed() -> None:
    (found,) = looked_at(engine_of({"/p/zoo.py": zoo(ENTRY, CROWD + 3) + CALLED}))
    assert found.name == "feature-mismatch"


def test_a_zoo_that_grows_and_shrinks_is_as_if_looked_at_afresh() -> None:
    warm = engine_of({"/p/zoo.py": zoo(ENTRY, 1)})
    for count in (CROWD, CROWD + 1, CROWD + 4, CROWD, 2, CROWD + 1):
        text = zoo(ENTRY, count)
        warm.set_text("/p/zoo.py", text)
        looked_at(warm)
        followed = {v for v, e in warm.memo.entries.items() if e.checked == warm.memo.revision}
        cold = engine_of({"/p/zoo.py": text})
        looked_at(cold)
        assert set(cold.memo.entries) <= followed
        assert {v.scope for v in followed if v.scope.endswith("::make")} == {"/p/zoo.py::make"}
        values = warm.memo.entries[next(v for v in followed if v.scope.endswith("small_1"))].result.facts
        fresh = cold.memo.entries[next(v for v in cold.memo.entries if v.scope.endswith("small_1"))]
        assert values.returns == fresh.result.facts.returns
