import torch


@torch.compile(backend="eager")
def named(values):
    label = f"{values.shape[0]} rows"
    return values * 2, label


if __name__ == "__main__":
    named(torch.rand(4))
