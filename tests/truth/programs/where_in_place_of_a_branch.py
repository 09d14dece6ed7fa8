import torch


@torch.compile(backend="eager")
def sign_aware(values):
    return torch.where(values.sum() > 0, values.sqrt(), -values)


if __name__ == "__main__":
    sign_aware(torch.rand(4))
