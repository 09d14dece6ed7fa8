"""What a program can set for the whole process that imported torch."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

CUDNN = {"enabled": True, "benchmark": False, "deterministic": False}


def settings() -> dict[str, Any]:
    return {
        "default dtype": torch.get_default_dtype(),
        "default device": torch.get_default_device(),
        "grad mode": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "anomaly mode": torch.is_anomaly_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "cudnn": {name: getattr(torch.backends.cudnn, name) for name in CUDNN},
        "float32 products": torch.get_float32_matmul_precision(),
        "threads": torch.get_num_threads(),
    }


def put_back() -> None:
    """Torch as it is when it is imported: no process group, and these settings."""
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    torch.use_deterministic_algorithms(False)
    torch.set_warn_always(False)
    torch.set_float32_matmul_precision("highest")
    torch.set_num_threads(1)
    for name, value in CUDNN.items():
        setattr(torch.backends.cudnn, name, value)
    if dist.is_initialized():
        dist.destroy_process_group()
