import torch


@torch.compile(backend="eager")
def named(values):
    top = values.max()
    label = str(top)
    return values / top, label


if __name__ == "__main__":
    named(torch.rand(4))
