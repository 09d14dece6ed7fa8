"""An earlier version is kept as what is different from a later one, and a file is judged by its version."""

from dataclasses import replace
from pathlib import Path

import torchwise.facts
from torchwise.engine import Engine
from torchwise.facts import changed, facts_for
from torchwise.project.settings import Settings

PATH = "/project/gather.py"
CODE = """
import torch
import torch.distributed as dist

def gathered(part, world):
    whole = torch.empty(world * len(part))
    dist.all_gather_into_tensor(whole, part)
    return whole
"""


def names_found(target: str | None) -> list[str]:
    engine = Engine()
    engine.set_config(replace(Settings(), target_torch=target))
    engine.set_text(PATH, CODE)
    return [finding.name for finding in engine.findings(PATH)]


def test_a_file_is_judged_by_its_version() -> None:
    # torch/distributed/distributed_c10d.py of 2.13: `all_gather_into_tensor` is deprecated
    assert names_found("2.12") == []
    assert names_found("2.13") == ["deprecated-api"]
    assert names_found(None) == names_found("2.13")


def test_one_engine_follows_a_changed_version() -> None:
    engine = Engine()
    engine.set_text(PATH, CODE)
    counts = []
    for target in ("2.13", "2.12", "2.13"):
        engine.set_config(replace(Settings(), target_torch=target))
        counts.append(len(engine.findings(PATH)))
    assert counts == [1, 0, 1]


def test_an_earlier_version_has_what_went_and_lacks_what_came() -> None:
    earlier, later = facts_for("2.12"), facts_for("2.13")
    assert earlier.version.startswith("2.12")
    assert "refine_names" in earlier.composites - later.composites  # 2.13 has no named tensors
    assert later.graph_breaks.keys() - earlier.graph_breaks.keys()
    assert earlier.views == later.views


def test_a_difference_takes_away_and_adds() -> None:
    later = {"version": "2", "names": {"a": 1, "b": 2}, "kinds": ["x", "y"]}
    difference = {
        "version": "1",
        "without": {"names": ["a"], "kinds": ["x"]},
        "with": {"names": {"b": 3, "c": 4}, "kinds": ["z"]},
    }
    assert changed(later, difference) == {"version": "1", "names": {"b": 3, "c": 4}, "kinds": ["y", "z"]}


def test_the_file_of_an_earlier_version_is_small() -> None:
    folder = Path(torchwise.facts.__file__).parent
    assert (folder / "torch-2.12.json").stat().st_size < 50_000
