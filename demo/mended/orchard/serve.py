"""The sorting machine's side: pictures in, names of fruit out, compiled because the belt does not wait."""

import torch

from orchard.pictures import FRUIT

UNSURE = -1


def sharpen(logits):
    """Scores of a spread of one, whichever network they come from."""
    spread = logits.std()
    return logits / max(spread, 1e-3)


def reject_unsure(chances, guesses):
    """Fruit that no one can tell goes back on the belt."""
    return torch.where(chances.min() > 0.5, guesses, torch.where(chances < 0.5, UNSURE, guesses))


@torch.compile
def sort_fruit(model, pictures):
    logits = sharpen(model(pictures))
    chances, guesses = logits.softmax(dim=1).max(dim=1)
    return reject_unsure(chances, guesses)


@torch.inference_mode()
def names(model, pictures):
    model.eval()
    return [FRUIT[guess] if guess != UNSURE else "?" for guess in sort_fruit(model, pictures).tolist()]
