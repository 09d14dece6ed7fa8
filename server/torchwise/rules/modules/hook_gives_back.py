"""A hook gives back what it only meant to keep.

What a forward hook returns takes the place of the layer's output, what a pre-hook returns that of its input, and what
a hook on a tensor or a backward hook returns that of the gradient; only None leaves things as they are. So
`lambda module, args, out: seen.setdefault(name, out.detach())` cuts the model off below that layer: nothing under
it learns any more, and where the dict is not emptied, later batches get the output of the first. `append` and
`dict.update` give None, so hooks that are written with them are right.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW433", WARNING, "04-neural-networks/modules#hooks"

EXAMPLES = [
    Example(
        bad="""
            seen = {}
            for name, layer in model.named_children():
                layer.register_forward_hook(lambda module, args, out: seen.setdefault(name, out.detach()))
                                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ takes the place of the layer's output
            loss = model(torch.ones(2, 3)).sum()
            """,
        good="""
            seen = {}
            for name, layer in model.named_children():
                layer.register_forward_hook(lambda module, args, out: seen.update({name: out.detach()}))
            loss = model(torch.ones(2, 3)).sum()
            """,
        setup="import torch\nfrom torch import nn\n\nmodel = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))",
        harm=lambda bad, good: not bad["loss"].requires_grad and good["loss"].requires_grad,  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            norms = []

            def keep(grad):
                norms.append(grad.norm().item())
                return norms
                       ^^^^^ takes the place of the gradient

            weight.register_hook(keep)
            (weight * 2).sum().backward()
            """,
        good="""
            norms = []

            def keep(grad):
                norms.append(grad.norm().item())

            weight.register_hook(keep)
            (weight * 2).sum().backward()
            """,
        setup="import torch\n\nweight = torch.ones(3, requires_grad=True)",
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    layer, seen = nn.Linear(2, 2), {}

    def steer(module, args, out):
        seen["last"] = out.detach()
        return out + 1  # another output is what it is for

    def cut(module, args, out):
        return out.detach()  # so is this

    layer.register_forward_hook(steer)
    layer.register_forward_hook(cut)
    layer.register_forward_hook(lambda module, args, out: seen.update(last=out))  # None
    layer.weight.register_hook(lambda grad: grad.clamp(-1, 1))
    """,
]
TAKEN = {
    "register_forward_hook": "the layer's output",
    "register_forward_pre_hook": "the layer's input",
    "register_full_backward_hook": "the gradient of the layer's input",
    "register_full_backward_pre_hook": "the gradient of the layer's output",
    "register_hook": "the gradient",
}


def check(scope: Reading) -> Iterator[Flag]:
    for given in scope.seen("hook-gives"):
        how, _, kind = given.detail.partition(" ")
        if kind == "plain" or (kind and given.outlives) or given.keeps_too:
            yield given.flag(
                f"takes the place of {TAKEN[how]}: a hook that only looks returns None",
                tuple((site, "registered here") for site in given.because),
            )
