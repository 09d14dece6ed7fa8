"""A WeightedRandomSampler gets fewer weights than there are examples.

It draws places among its weights: with one weight for each class it draws the first few examples only, over
and over. Give each example the weight of its class: `weights[labels]`.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading, made_by

CODE, LEVEL, LESSON = "TW614", WARNING, "06-data/loaders#rare-classes"
LABELS = re.compile(
    r"label|target|class|tgt|\by[s]?\b", re.IGNORECASE
)  # of nodes or words, counts may be meant
SETUP = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

    torch.manual_seed(0)
    labels, per_class = torch.randint(0, 2, (60,)), torch.tensor([0.3, 0.7])
    rows = TensorDataset(torch.arange(60))

    def rows_of(loader):
        return [(x,) for (batch,) in loader for x in batch]
    """


def _two_are_drawn(bad: dict[str, object], good: dict[str, object]) -> bool:
    return len(bad["drawn"]) == 2 and len(good["drawn"]) > 20  # type: ignore[arg-type]


EXAMPLES = [
    Example(
        bad="""
            sampler = WeightedRandomSampler(per_class, num_samples=60)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has 2 weights for 60 examples
            loader = DataLoader(rows, batch_size=10, sampler=sampler)
            drawn = {x.item() for (x,) in rows_of(loader)}
            """,
        good="""
            sampler = WeightedRandomSampler(per_class[labels], num_samples=60)
            loader = DataLoader(rows, batch_size=10, sampler=sampler)
            drawn = {x.item() for (x,) in rows_of(loader)}
            """,
        setup=SETUP,
        harm=_two_are_drawn,
    ),
    Example(
        bad="""
            rare = 1.0 / torch.bincount(labels).float()
            sampler = WeightedRandomSampler(rare / rare.sum(), num_samples=60)
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ takes the weights of the classes
            drawn = {x.item() for (x,) in rows_of(DataLoader(rows, batch_size=10, sampler=sampler))}
            """,
        good="""
            rare = 1.0 / torch.bincount(labels).float()
            sampler = WeightedRandomSampler((rare / rare.sum())[labels], num_samples=60)
            drawn = {x.item() for (x,) in rows_of(DataLoader(rows, batch_size=10, sampler=sampler))}
            """,
        setup=SETUP,
        harm=_two_are_drawn,
    ),
]

SILENT = [
    """
    import torch
    from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

    def often_cited(papers, cited):
        degree = torch.bincount(cited, minlength=len(papers)).float()
        sampler = WeightedRandomSampler(degree.sqrt(), num_samples=100)  # a number for each paper
        return DataLoader(TensorDataset(papers), sampler=sampler)
    """,
    """
    import torch
    from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

    rows = TensorDataset(torch.arange(60))
    loader = DataLoader(rows, sampler=WeightedRandomSampler(torch.rand(60), num_samples=30))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("weights"):
        for broken in call.breaks("weights"):
            sampler, counted = call["sampler"], made_by(broken.because)
            if sampler is None or not sampler.places:
                continue
            if counted is None:
                yield Flag(
                    sampler.places[0],
                    f"has {broken.got} weights for {broken.wanted} examples: only the first are drawn",
                    because=((call.at, "draws from these examples"),),
                )
            elif LABELS.search(scope.text_at(counted)):
                yield Flag(
                    sampler.places[0],
                    "takes the weights of the classes for those of the first examples: look them up by label",
                    because=((counted, "one for each class"), (call.at, "draws from these examples")),
                )
