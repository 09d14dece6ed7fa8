import torch


@torch.compile(backend="eager")
def shared(first, second):
    if first.data_ptr() == second.data_ptr():
        return first.clone()
    return first + second


if __name__ == "__main__":
    shared(torch.randn(3), torch.randn(3))
