"""The facts file is what the installed torch says, and the loader answers for the nearest version."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

import torchwise.facts
from torchwise.facts import Saved, facts_for, versions

FACTS = facts_for(torch.__version__)
FOLDER = Path(torchwise.facts.__file__).parent


def test_the_file_is_what_the_installed_torch_says() -> None:
    # In a process of its own: Dynamo, once used, puts wrappers in the place of some of torch's functions.
    command = [sys.executable, "-m", "torchwise.facts.generate", "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_files_are_small_and_sorted() -> None:
    for path in FOLDER.glob("*.json"):
        text = path.read_text()
        assert len(text) < 1_000_000
        for section in json.loads(text).values():
            assert not isinstance(section, dict) or list(section) == sorted(section)


def test_the_nearest_version_answers() -> None:
    oldest, newest = versions()[0], versions()[-1]
    assert facts_for("1.0").version.startswith(oldest)
    assert facts_for("99.0.1+cu130").version.startswith(newest)
    assert facts_for("nightly").version.startswith(newest)
    assert facts_for("2.13.0+cpu") is facts_for("2.13")


def test_neither_the_package_nor_its_loading_imports_torch() -> None:
    script = (
        "import sys; from torchwise.facts import facts_for; facts_for('2.13'); print('torch' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=FOLDER.parents[1]
    )
    assert ran.stdout.strip() == "False"


def test_saved_values_carry_their_condition() -> None:
    assert FACTS.saves["exp"] == (Saved("result"),)
    assert set(FACTS.saves["mul.Tensor"]) == {Saved("self", "other"), Saved("other", "self")}
    assert FACTS.saves["add.Tensor"] == ()
    assert "matmul" in FACTS.composites and "matmul" not in FACTS.saves


@pytest.mark.parametrize(
    ("operator", "kept"),
    [
        # What people change in place after it, believing it harmless or harmful.
        ("torch.softmax", {"result"}),
        ("F.layer_norm", {"input", "weight", "bias"}),
        ("F.linear", {"input", "weight"}),
        ("F.dropout", set()),
        ("F.cross_entropy", set()),
        ("torch.std", {"input", "result"}),
    ],
)
def test_composites_are_seen_to_keep(operator: str, kept: set[str]) -> None:
    assert set(FACTS.composite_saves[operator]) == kept


def test_views_share_memory_and_mutations_are_known() -> None:
    values = torch.zeros(2, 3)
    assert FACTS.views["transpose.int"] == "self"
    assert values.transpose(0, 1).data_ptr() == values.data_ptr()
    assert FACTS.aliases["reshape"] == "self" and "reshape" not in FACTS.views
    assert FACTS.mutations["add_.Tensor"] == ("self",)
    assert FACTS.mutations["_native_batch_norm_legit"] == ("running_mean", "running_var")


@pytest.mark.parametrize("operator", ["equal", "item"])
def test_operators_tagged_data_dependent_have_no_answer_without_data(operator: str) -> None:
    assert operator in FACTS.tags["data_dependent_output"]
    with FakeTensorMode():
        value = torch.ones(())
        with pytest.raises(DataDependentOutputException):
            getattr(value, operator)(*([value] if operator == "equal" else []))


DEPRECATED_CALLS = {
    "torch.cuda.amp.GradScaler": lambda: torch.cuda.amp.GradScaler(enabled=False),
    "torch.cuda.amp.autocast": lambda: torch.cuda.amp.autocast(enabled=False),
    "torch.jit.script": lambda: torch.jit.script(torch.nn.Identity()),
    "torch.nn.utils.clip_grad_norm": lambda: torch.nn.utils.clip_grad_norm([], 1.0),
    "torch.nn.utils.weight_norm": lambda: torch.nn.utils.weight_norm(torch.nn.Linear(1, 1)),
    "torch.testing.assert_allclose": lambda: torch.testing.assert_allclose(torch.ones(1), torch.ones(1)),
}


@pytest.mark.parametrize("name", DEPRECATED_CALLS)
def test_torch_warns_of_what_is_listed_as_deprecated(name: str) -> None:
    listed = [
        d for d in FACTS.deprecations if d.name == name and d.kind in ("decorator", "warning") and not d.when
    ]
    assert listed
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        DEPRECATED_CALLS[name]()
    assert any(" ".join(str(warning.message).split()) == d.message for warning in seen for d in listed)


def test_removed_names_raise() -> None:
    removed = {d.name for d in FACTS.deprecations if d.kind == "removed"}
    assert {"torch.symeig", "torch.lstsq"} <= removed
    with pytest.raises(RuntimeError, match="removed"):
        torch.symeig(torch.eye(2))


def test_deprecations_name_what_to_use_instead() -> None:
    replacements = {d.name: d.replacement for d in FACTS.deprecations if d.replacement}
    assert replacements["torch.cuda.amp.autocast"] == "torch.amp.autocast"
    assert replacements["torch.qr"] == "torch.linalg.qr"
    assert replacements["torch.nn.utils.weight_norm"] == "torch.nn.utils.parametrizations.weight_norm"


def test_names_carry_their_parameters() -> None:
    names = FACTS.names
    assert names["torch.Tensor"]["view"] == ("dtype", "size", "*size")
    assert names["torch"]["matmul"] == ("input, other, *, out=None",)
    assert names["torch.nn"]["Linear"] == ("in_features, out_features, bias=True, device=None, dtype=None",)
    assert "AdamW" in FACTS.classes["optimizers"] and "OneCycleLR" in FACTS.classes["schedulers"]
    assert FACTS.knows("torch.nn.functional.relu") and not FACTS.knows("torch.rfft")
