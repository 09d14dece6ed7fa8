import torch


@torch.compile(backend="eager")
def flat(images):
    assert images.dim() == 4, images.shape
    return images.flatten(1)


if __name__ == "__main__":
    flat(torch.rand(2, 3, 4, 4))
