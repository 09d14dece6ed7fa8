import torch


@torch.compile(backend="eager")
def scaled(x, debug=False):
    if debug:
        breakpoint()
    return x / x.norm()


if __name__ == "__main__":
    scaled(torch.randn(3))
