import torch


@torch.compile(backend="eager")
def inverse(matrix):
    try:
        return torch.linalg.inv(matrix)
    except RuntimeError:
        return torch.linalg.pinv(matrix)


if __name__ == "__main__":
    inverse(torch.eye(3) * 2)
