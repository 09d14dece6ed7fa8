import torch

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile(backend="eager")
def scaled(x):
    scale = x.abs().max().item()
    return x * scale


if __name__ == "__main__":
    scaled(torch.randn(3))
