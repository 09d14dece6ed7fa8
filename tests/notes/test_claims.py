"""What a note claims is so under the installed torch."""

from __future__ import annotations

import ast
import random
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.notes.read import notes
from tests.torch_settings import settings

EACH = [pytest.param(note, id=f"{chapter}:{note['symbol']}") for chapter, note in notes()]
SHARED = {"torch": torch, "nn": nn, "F": F, "raises": pytest.raises, "warns": pytest.warns}


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, known random numbers, and each warning said."""
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    random.seed(0)
    torch.set_warn_always(True)  # else what warns once in a process has warned in another test, perhaps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("note", EACH)
@pytest.mark.usefixtures("alone")
def test_what_a_note_claims_is_so(note: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # A module that can be imported: Dynamo and pickle look functions up by the name of theirs.
    module = ModuleType("claims")
    vars(module).update(SHARED)
    monkeypatch.setitem(sys.modules, "claims", module)
    before = settings()
    exec(compile(note["claims"], note["symbol"], "exec"), vars(module))
    assert settings() == before


@pytest.mark.parametrize("note", EACH)
def test_claims_can_fail(note: dict[str, Any]) -> None:
    tree = list(ast.walk(ast.parse(note["claims"])))
    asserts = sum(isinstance(node, ast.Assert) for node in tree)
    refusals = sum(
        isinstance(node, ast.withitem)
        and isinstance(node.context_expr, ast.Call)
        and ast.unparse(node.context_expr.func) in {"raises", "warns"}
        for node in tree
    )
    assert asserts + refusals >= 2
    assert not [node for node in tree if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant)]
