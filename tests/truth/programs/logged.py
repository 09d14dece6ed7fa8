import logging

import torch

log = logging.getLogger(__name__)


@torch.compile(backend="eager")
def step(weights, gradients):
    log.info("one step")
    return weights - 0.1 * gradients


if __name__ == "__main__":
    step(torch.randn(3), torch.randn(3))
