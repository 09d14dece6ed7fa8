"""The files that are measured: torch's own layers, the corpus where it was fetched, the standard library,
generated ones."""

from __future__ import annotations

import sysconfig
from importlib.util import find_spec
from pathlib import Path

from bench.budget import ROOT

# Packages of the standard library of some size and of many styles; none of them mentions torch.
LIBRARY = (
    "asyncio",
    "concurrent",
    "email",
    "http",
    "importlib",
    "json",
    "logging",
    "multiprocessing",
    "unittest",
)


def torch_using(limit: int) -> list[Path]:
    """Up to `limit` files that use torch: `torch/nn/modules`, and of the corpus what is there."""
    spec = find_spec("torch")
    assert spec is not None and spec.origin is not None, "the benchmarks need torch's sources"
    found = sorted(Path(spec.origin).parent.joinpath("nn", "modules").glob("*.py"))
    corpus = sorted(ROOT.joinpath(".corpus", "src").rglob("*.py"))
    using = [path for path in corpus if b"torch" in path.read_bytes()]
    step = max(1, len(using) // max(1, limit - len(found)))
    return found + using[::step][: limit - len(found)]


def without_torch() -> list[Path]:
    library = Path(sysconfig.get_paths()["stdlib"])
    paths = (path for package in LIBRARY for path in sorted(library.joinpath(package).rglob("*.py")))
    return [path for path in paths if b"torch" not in path.read_bytes()]


HEAD = '''"""Networks and training loops for a study of image classifiers."""

import torch
from torch import nn
from torch.nn import functional as F

'''

# One section: a network, how it is trained and how it is judged. 52 lines.
SECTION = '''
class Classifier{n}(nn.Module):
    """Convolutions, attention over the places that are left, and a linear head."""

    def __init__(self, classes=10, width={width}, heads=4):
        super().__init__()
        self.heads = heads
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.deeper = nn.Conv2d(width, 2 * width, 3, stride=2, padding=1)
        self.mix = nn.Linear(2 * width, 2 * width)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(2 * width, classes)

    def attend(self, tokens):
        batch, count, dim = tokens.shape
        queries = self.mix(tokens).view(batch, count, self.heads, dim // self.heads).transpose(1, 2)
        scores = queries @ queries.transpose(-2, -1) / (dim // self.heads) ** 0.5
        mixed = scores.softmax(dim=-1) @ queries
        return mixed.transpose(1, 2).reshape(batch, count, dim)

    def forward(self, images):
        features = F.relu(self.norm(self.stem(images)))
        features = F.relu(self.deeper(features))
        tokens = features.flatten(2).transpose(1, 2)
        tokens = tokens + self.attend(tokens)
        return self.head(self.dropout(tokens.mean(dim=1)))


def train_{n}(model, loader, optimizer, device="cpu"):
    model.train()
    total = 0.0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


@torch.no_grad()
def accuracy_{n}(model, loader):
    model.eval()
    right = 0
    for images, labels in loader:
        right += (model(images).argmax(dim=1) == labels).sum().item()
    return right / len(loader.dataset)

'''


def study(lines: int, first: int = 0) -> str:
    """A file of about so many lines, as a student of image classifiers might write it."""
    sections = max(1, round((lines - HEAD.count("\n")) / SECTION.count("\n")))
    numbers = range(first, first + sections)
    return HEAD + "".join(SECTION.format(n=n, width=8 * (1 + n % 8)) for n in numbers)
