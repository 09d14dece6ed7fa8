import torch


@torch.compile(backend="eager")
def peaks(signal):
    higher = (signal[1:-1] > signal[:-2]) & (signal[1:-1] > signal[2:])
    places = higher.nonzero()
    return places + 1


if __name__ == "__main__":
    peaks(torch.tensor([0.0, 2.0, 1.0, 3.0, 0.0]))
