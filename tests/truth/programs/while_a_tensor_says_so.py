import torch


@torch.compile(backend="eager")
def halve(values):
    while values.norm() > 1:
        values = values / 2
    return values


if __name__ == "__main__":
    halve(torch.full((3,), 2.0))
