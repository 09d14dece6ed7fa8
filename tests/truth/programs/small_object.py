import torch


class Box:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def volume(self):
        return (self.high - self.low).clamp(min=0).prod(-1)


@torch.compile(backend="eager")
def overlap(first, second):
    both = Box(torch.maximum(first[0], second[0]), torch.minimum(first[1], second[1]))
    return both.volume()


if __name__ == "__main__":
    overlap(torch.tensor([[0.0, 0.0], [2.0, 2.0]]), torch.tensor([[1.0, 1.0], [3.0, 3.0]]))
