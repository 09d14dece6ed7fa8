"""Parameters are replaced after an optimizer took the old ones.

`weight_norm` and `fully_shard` put new parameters in the place of a layer's weight. An optimizer that was made before
goes on stepping the old tensors: the new ones never change. Make the optimizer afterwards.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.weight_norm.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW413", WARNING, "05-optimizers/optimizers#what-an-optimizer-holds"

EXAMPLES = [
    Example(
        bad="""
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ puts new parameters in place of those that the optimizer holds
            weight_norm(layer)
            before = layer.weight.detach().clone()
            layer(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            """,
        good="""
            weight_norm(layer)
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
            before = layer.weight.detach().clone()
            layer(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn
            from torch.nn.utils.parametrizations import weight_norm

            torch.manual_seed(0)
            layer = nn.Linear(2, 1)
            """,
        harm=lambda bad, good: (
            bad["layer"].weight.equal(bad["before"]) and not good["layer"].weight.equal(good["before"])
        ),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.nn.utils.parametrizations import weight_norm

    layer, other = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    weight_norm(other)  # not in the optimizer
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("weight_norm", "fully_shard"):
        for held in call.breaks("held"):
            at = scope.made(held.because, "")
            yield Flag(
                at[0][0] if at else call.at,
                f"`{call.name}` puts new parameters in place of those that the optimizer holds: it will "
                "not train the new ones",
                because=((call.at, "they are replaced here"),),
            )
