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


def found(code: str, target: str | None) -> list[tuple[str, int]]:
    """Rules and rows."""
    engine = Engine()
    engine.set_config(replace(Settings(), target_torch=target))
    engine.set_text(PATH, code)
    assert engine.crashes == []
    return [(finding.name, finding.at.span.row) for finding in engine.findings(PATH)]


def names_found(target: str | None) -> list[str]:
    return [name for name, _ in found(CODE, target)]


def test_a_file_is_judged_by_its_version() -> None:
    # torch/distributed/distributed_c10d.py of 2.13: `all_gather_into_tensor` is deprecated
    assert names_found("2.12") == []
    assert names_found("2.13") == ["deprecated-api"]
    assert names_found(None) == names_found("2.13")


NAMED = """
import torch

images = torch.zeros(2, 3, names=("batch", "channel"))
whole = torch.full((2, 3), 1.0, names=("batch", "channel"))
named = torch.randn(2, 3).refine_names("batch", "channel")
total = images.sum("batch")
flat = whole.rename("row", "column").align_to("column", "row")
print(images.names, flat.has_names())
pair = torch.align_tensors(images, whole)
"""


def test_named_tensors_are_gone_with_2_13() -> None:
    # seen with 2.12, where all of it runs but `align_tensors`, and with 2.13, where every line raises
    assert found(NAMED, "2.12") == []
    assert {name for name, _ in found(NAMED, "2.13")} == {"removed-api"}
    assert {row for _, row in found(NAMED, "2.13")} == {4, 5, 6, 7, 8, 9, 10}


NEWER = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

patches = torch.func.rearrange(torch.zeros(2, 6), "b (n p) -> b n p", p=3)
loss = nn.LinearCrossEntropyLoss(8, 3)

def wrapped(model):
    return DistributedDataParallel(model, forward_sync_buffers=False)

def if_there_is_one(x):
    if hasattr(torch.func, "rearrange"):
        return torch.func.rearrange(x, "a b -> b a")
    return x.T
"""


def test_what_came_later_is_not_there_yet() -> None:
    assert found(NEWER, "2.12") == [("removed-api", 6), ("removed-api", 7), ("removed-api", 10)]
    assert found(NEWER, "2.13") == []


COMPILED = """
import torch
from torch import nn

net = nn.Linear(4, 4)

@torch.compile
def scored(x):
    y = x + len(hex(12)) + hash("a") % 7
    return y + net.state_dict()["bias"]
"""


def test_a_graph_is_broken_where_the_dynamo_of_that_version_breaks_it() -> None:
    # seen with torch.compile of 2.12, which ends its graph at all three, and of 2.13, which traces them
    assert [name for name, _ in found(COMPILED, "2.12")] == ["graph-break-call"] * 3
    assert found(COMPILED, "2.13") == []


OLD = """
import torch
from torch.optim.lr_scheduler import StepLR

def scheduled(optimizer):
    return StepLR(optimizer, step_size=5, verbose=True)

scaled = torch.jit.script(torch.nn.Linear(2, 2))
"""


def test_a_rule_holds_from_its_version_on() -> None:
    # the schedulers lost `verbose` with 2.7, and TorchScript is deprecated since 2.9
    assert found(OLD, "2.6") == []
    assert found(OLD, "2.8") == [("scheduler-argument-gone", 6)]
    assert [name for name, _ in found(OLD, "2.9")] == ["scheduler-argument-gone", "jit-deprecated"]
    assert found(OLD, None) == found(OLD, "2.13") == found(OLD, "2.9")


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
    assert earlier.knows("torch.Tensor.rename") and not later.knows("torch.Tensor.rename")
    assert later.knows("torch.func.rearrange") and not earlier.knows("torch.func.rearrange")
    assert earlier.names["torch"]["add"] == later.names["torch"]["add"]
    assert earlier.views == later.views


def test_a_difference_takes_away_and_adds() -> None:
    later = {
        "version": "2",
        "views": {"a": 1, "b": 2},
        "kinds": ["x", "y"],
        "names": {"m": {"a": []}, "n": {"a": []}},
    }
    difference = {
        "version": "1",
        "without": {"views": ["a"], "kinds": ["x"], "names": {"m": ["a"]}},
        "with": {"views": {"b": 3, "c": 4}, "kinds": ["z"], "names": {"n": {"b": ["x"]}}},
    }
    assert changed(later, difference) == {
        "version": "1",
        "views": {"b": 3, "c": 4},
        "kinds": ["y", "z"],
        "names": {"m": {}, "n": {"a": [], "b": ["x"]}},
    }


def test_the_file_of_an_earlier_version_is_small() -> None:
    folder = Path(torchwise.facts.__file__).parent
    assert (folder / "torch-2.12.json").stat().st_size < 50_000
