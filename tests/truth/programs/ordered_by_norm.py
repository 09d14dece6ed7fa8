import torch


@torch.compile(backend="eager")
def ordered(rows):
    return torch.stack(sorted(rows, key=lambda row: row.norm()))


if __name__ == "__main__":
    ordered([torch.randn(3) for _ in range(4)])
