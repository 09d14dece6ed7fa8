import torch


@torch.compile(backend="eager")
def scaled(x):
    if not torch.compiler.is_compiling():
        print("scale", x.abs().max().item())
    return x / x.abs().max()


if __name__ == "__main__":
    scaled(torch.randn(3))
