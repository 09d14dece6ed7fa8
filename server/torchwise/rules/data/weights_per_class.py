"""A WeightedRandomSampler gets fewer weights than there are examples.

It draws places among its weights: with one weight for each class it draws the first few examples only, over
and over. Give each example the weight of its class: `weights[labels]`.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW614", WARNING, "06-data/loaders#rare-classes"

EXAMPLES = [
    Example(
        bad="""
            sampler = WeightedRandomSampler(per_class, num_samples=60)
            loader = DataLoader(rows, batch_size=10, sampler=sampler)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has 2 weights for 60 examples
            drawn = {x.item() for (x,) in rows_of(loader)}
            """,
        good="""
            sampler = WeightedRandomSampler(per_class[labels], num_samples=60)
            loader = DataLoader(rows, batch_size=10, sampler=sampler)
            drawn = {x.item() for (x,) in rows_of(loader)}
            """,
        setup="""
            import torch
            from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

            torch.manual_seed(0)
            labels, per_class = torch.randint(0, 2, (60,)), torch.tensor([0.3, 0.7])
            rows = TensorDataset(torch.arange(60))

            def rows_of(loader):
                return [(x,) for (batch,) in loader for x in batch]
            """,
        harm=lambda bad, good: len(bad["drawn"]) == 2 and len(good["drawn"]) > 20,  # type: ignore[arg-type]
    ),
]

SILENT = [
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
            yield call.flag(
                f"the sampler has {broken.got} weights for {broken.wanted} examples: only the first are drawn"
            )
