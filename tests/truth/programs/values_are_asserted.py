import torch


@torch.compile(backend="eager")
def logs(probabilities):
    assert (probabilities > 0).all(), f"not above zero: {probabilities.min()}"
    return probabilities.log()


if __name__ == "__main__":
    logs(torch.rand(4) + 0.1)
