"""A weight that its layer computes anew is changed in place, so the change is lost.

Under `weight_norm`, `spectral_norm`, a parametrization or pruning, `layer.weight` is computed from other
parameters whenever it is needed. Writing into what was read changes a temporary. Assign to it
(`layer.weight = new`) where a parametrization supports that, or change what it is computed from.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.register_parametrization.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW416", WARNING, "15-utilities/parametrizations#what-is-stored-and-what-is-trained"

EXAMPLES = [
    Example(
        bad="""
            layer = weight_norm(nn.Linear(2, 2))
            with torch.no_grad():
                layer.weight.clamp_(-0.01, 0.01)
                ^^^^^^^^^^^^ is computed anew each time it is read
            largest = layer.weight.abs().max().item()
            """,
        good="""
            layer = weight_norm(nn.Linear(2, 2))
            with torch.no_grad():
                layer.weight = layer.weight.clamp(-0.01, 0.01)
            largest = layer.weight.abs().max().item()
            """,
        setup="""
            import torch
            from torch import nn
            from torch.nn.utils.parametrizations import weight_norm

            torch.manual_seed(0)
            """,
        harm=lambda bad, good: bad["largest"] > 0.02 and good["largest"] < 0.02,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.nn.utils.parametrizations import weight_norm
    from torch.nn.utils.parametrize import remove_parametrizations

    layer = weight_norm(nn.Linear(2, 2))
    with torch.no_grad():
        layer.bias.zero_()  # a plain parameter
        remove_parametrizations(layer, "weight")
        layer.weight.clamp_(-0.01, 0.01)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("computed"):
        for broken in call.breaks("computed"):
            target = call[broken.param]
            if target is not None:
                yield target.flag(
                    f"`{target.text}` is computed anew each time it is read: what is written into it is lost"
                )
