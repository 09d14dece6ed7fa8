"""A model is evaluated on examples that are distorted at random.

Random crops, flips, noise and erasing are for training. In a validation or test set they make every
evaluation another one, and mostly a worse one. Give the evaluation set a transform of its own; after
`random_split` both parts still share that of the whole.

Source: https://docs.pytorch.org/vision/stable/transforms.html
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW609", HINT, "06-data/datasets#augmentation"

EXAMPLES = [
    Example(
        bad="""
            held_out = Rows(noisy)
                       ^^^^^^^^^^^ distorts its examples at random, and a model is evaluated on it

            def validate(net, loader):
                net.eval()
                with torch.no_grad():
                    return sum(net(x).sum().item() for x in loader)

            scores = [validate(nn.Linear(2, 1), DataLoader(held_out, batch_size=2)) for _ in range(2)]
            """,
        good="""
            held_out = Rows(None)

            def validate(net, loader):
                net.eval()
                with torch.no_grad():
                    return sum(net(x).sum().item() for x in loader)

            net = nn.Linear(2, 1)
            scores = [validate(net, DataLoader(held_out, batch_size=2)) for _ in range(2)]
            """,
        setup="""
            import torch
            from torch import nn
            from torch.utils.data import DataLoader, Dataset

            def noisy(x):
                return x + torch.randn(2)

            class Rows(Dataset):
                def __init__(self, transform):
                    self.transform = transform

                def __len__(self):
                    return 4

                def __getitem__(self, i):
                    x = torch.ones(2)
                    return x if self.transform is None else self.transform(x)
            """,
        harm=lambda bad, good: (
            bad["scores"][0] != bad["scores"][1] and good["scores"][0] == good["scores"][1]  # type: ignore[index]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __init__(self, transform=None):
            self.transform = transform

        def __len__(self):
            return 4

        def __getitem__(self, i):
            x = torch.ones(2)
            return x if self.transform is None else self.transform(x)

    def trained(net, loader, optimizer):
        net.train()
        for x in loader:
            optimizer.zero_grad()
            net(x).sum().backward()
            optimizer.step()

    net = nn.Linear(2, 1)
    train_loader = DataLoader(Rows(lambda x: x + torch.randn(2)), batch_size=2, shuffle=True)
    trained(net, train_loader, torch.optim.SGD(net.parameters(), lr=0.1))
    """,
]
TRAINS = re.compile(r"(^|_)(train|training|trn|fit)", re.IGNORECASE)


def check(scope: Reading) -> Iterator[Flag]:
    for walked in scope.seen("drawing-loader"):
        if not scope.evaluates or scope.differentiates:
            continue
        loader = walked.value
        names = " ".join((walked.text, *(scope.text_at(site) for site in walked.because)))
        if loader is None or TRAINS.search(names):
            continue
        yield Flag(
            walked.because[0],
            "this set distorts its examples at random, and a model is evaluated on it",
            because=((walked.at, "evaluated here"),),
        )
