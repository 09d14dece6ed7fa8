import torch


def report(name, value):
    print(name, value)


@torch.compile(backend="eager")
def normalise(batch):
    mean = batch.mean(0)
    report("mean", mean.shape)
    return batch - mean


if __name__ == "__main__":
    normalise(torch.randn(4, 3))
