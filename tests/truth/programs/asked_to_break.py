import torch


@torch.compile(backend="eager")
def in_two_parts(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos()


if __name__ == "__main__":
    in_two_parts(torch.randn(3))
