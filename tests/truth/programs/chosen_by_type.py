import torch


def total(value):
    if isinstance(value, torch.Tensor):
        return value.sum()
    return sum(total(part) for part in value)


@torch.compile(backend="eager")
def penalty(parts):
    return 0.5 * total(parts)


if __name__ == "__main__":
    penalty([torch.randn(3), [torch.randn(2), torch.randn(4)]])
