"""An averaged model is evaluated with BatchNorm statistics that are not its own.

`AveragedModel` averages weights. The running statistics of BatchNorm belong to activations that no averaged model has
seen: it has those of the last model that was averaged in. `update_bn(loader, averaged)` gathers them in one pass over the
training data.

Source: https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import CALLER, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW133", WARNING, "07-training/better-models#stochastic-weight-averaging"

EXAMPLES = [
    Example(
        bad="""
            averaged = AveragedModel(model)
            for scale in (1.0, 9.0):
                nn.init.constant_(model[0].weight, scale)
                model(batch)
                averaged.update_parameters(model)
            averaged.eval()
            out = averaged(batch)
                  ^^^^^^^^^^^^^^^ has the statistics of another model
            """,
        good="""
            averaged = AveragedModel(model)
            for scale in (1.0, 9.0):
                nn.init.constant_(model[0].weight, scale)
                model(batch)
                averaged.update_parameters(model)
            update_bn([batch], averaged)
            averaged.eval()
            out = averaged(batch)
            """,
        setup="""
            import torch
            from torch import nn
            from torch.optim.swa_utils import AveragedModel, update_bn

            model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.BatchNorm1d(1))
            batch = torch.linspace(0.0, 10.0, 64).unsqueeze(1)
            """,
        harm=lambda bad, good: abs(good["out"].std() - 1) < 0.1 < 0.2 < abs(bad["out"].std() - 1),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4))
    averaged = AveragedModel(model)
    averaged.update_parameters(model)
    averaged.eval()
    averaged(torch.ones(2, 4))  # LayerNorm has no statistics

    normed = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    follows = AveragedModel(normed, multi_avg_fn=get_ema_multi_avg_fn(0.999), use_buffers=True)
    follows.update_parameters(normed)
    follows.eval()
    follows(torch.ones(2, 4))  # its buffers are averaged too
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.happenings("averaged-without-statistics"):
        moved, made = call.because
        yield Flag(
            call.at if scope.holds(made) else CALLER,  # who evaluates may do so for other models, too
            "the averaged model is evaluated, but has the statistics of another model: `update_bn(loader, ...)` "
            "gathers its own",
            because=((made, "made here"), (moved, "its weights, and no statistics, are averaged here")),
        )
