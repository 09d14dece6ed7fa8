import torch


@torch.compile(backend="eager")
def sign_aware(values):
    if values.sum() > 0:
        return values.sqrt()
    return -values


if __name__ == "__main__":
    sign_aware(torch.rand(4))
