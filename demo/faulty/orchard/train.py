"""python -m orchard.train [baseline | gated | former]"""

import sys

import torch
from torch import nn

from orchard.evaluate import accuracy
from orchard.networks import NETWORKS
from orchard.pictures import loaders
from orchard.steps import learn_from


def fit_epoch(model, loader, optimizer):
    seen, total, right = 0, 0.0, 0
    for pictures, labels in loader:
        loss, correct = learn_from(model, pictures, labels)
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
        optimizer.step()
        seen += len(labels)
        total += loss * len(labels)
        right += correct
    return total / seen, right / seen


def fit(model, train_loader, valid_loader, epochs=4, lr=3e-3):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    history = []
    for epoch in range(epochs):
        loss, train_accuracy = fit_epoch(model, train_loader, optimizer)
        scheduler.step()
        model.eval()  # fault: train-mode-not-restored
        valid_accuracy = accuracy(model, valid_loader)
        history.append((loss, train_accuracy, valid_accuracy))
        print(f"epoch {epoch}: loss {loss:.3f}, right {train_accuracy:.1%}, unseen {valid_accuracy:.1%}")
    return history


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "baseline"
    torch.manual_seed(0)
    model = NETWORKS[name]()
    train_loader, valid_loader = loaders()
    fit(model, train_loader, valid_loader)
    torch.save(model.state_dict(), f"{name}.pt")


if __name__ == "__main__":
    main()
