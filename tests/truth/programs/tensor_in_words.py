import torch


@torch.compile(backend="eager")
def scaled(x):
    scale = x.abs().amax()
    message = "scale {}".format(scale)
    return x / scale, message


if __name__ == "__main__":
    scaled(torch.randn(3))
