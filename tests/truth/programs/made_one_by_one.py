import torch


def windows(signal, width):
    for start in range(signal.shape[0] - width + 1):
        yield signal[start : start + width]


@torch.compile(backend="eager")
def maxima(signal):
    return torch.stack([window.max() for window in windows(signal, 3)])


if __name__ == "__main__":
    maxima(torch.randn(6))
