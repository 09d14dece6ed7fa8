"""Torch as it is when it is imported, whatever other tests in this process have set."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True, scope="module")
def as_imported() -> None:
    torch.use_deterministic_algorithms(False)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
