import torch


class Filter:
    def __init__(self):
        self.state = torch.zeros(3)

    @torch.compile(backend="eager")
    def update(self, value):
        self.state = 0.9 * self.state + 0.1 * value
        print("updated")
        return self.state


if __name__ == "__main__":
    Filter().update(torch.randn(3))
