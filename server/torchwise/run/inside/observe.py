"""What tensors the names of a notebook hold now: shown as a message of its own kind, which only we read."""

import sys

KIND = "application/vnd.torchwise.observed+json"


def form(tensor):
    try:
        return {
            "shape": [int(size) for size in tensor.shape],
            "dtype": str(tensor.dtype).replace("torch.", ""),
            "device": str(tensor.device),
            "requiresGrad": bool(tensor.requires_grad),
        }
    except Exception:  # a subclass, or one that is not made yet
        return None


def observed(space):
    """By name. A notebook that has not imported torch has none."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tensor"):
        return {}
    found = {
        name: form(value)
        for name, value in list(space.items())
        if not name.startswith("_") and isinstance(value, torch.Tensor)
    }
    return {name: row for name, row in found.items() if row is not None}


def main(space):
    from IPython.display import display

    display({KIND: {"observed": observed(space)}}, raw=True)
