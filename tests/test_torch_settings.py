"""What a test sets in torch does not reach the test that the same process runs next."""

from __future__ import annotations

import torch
import torch.distributed as dist

from tests.torch_settings import put_back, settings


def test_what_a_program_sets_is_put_back() -> None:
    put_back()
    before = settings()
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("meta")
    torch.set_grad_enabled(False)
    torch.autograd.set_detect_anomaly(True)
    torch.use_deterministic_algorithms(True)
    torch.set_float32_matmul_precision("medium")
    torch.set_num_threads(2)
    torch.backends.cudnn.deterministic = torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.enabled = False
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    changed = settings()
    assert [name for name in before if changed[name] == before[name]] == ["inference mode"]
    put_back()
    assert settings() == before
    assert not dist.is_initialized()


def test_a_test_leaves_its_settings() -> None:
    torch.use_deterministic_algorithms(True)


def test_the_next_one_does_not_see_them() -> None:
    assert not torch.are_deterministic_algorithms_enabled()
