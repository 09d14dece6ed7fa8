"""How to call functions on images."""

import torch

from tests.ops.calls import calls


@calls("torch.nn.functional.pad")
def _(r):
    x = r.tensor()
    return [
        x,
        [r.randint(-1, 2) for _ in range(2 * r.randint(0, x.real.dim() + (1 if r.maybe(0.1) else 0)))],
    ], {}


@calls("torch.nn.functional.interpolate", lenient=True)
def _(r):
    rank = r.randint(3, 5) if r.maybe(0.9) else 2
    x = r.tensor(tuple(r.randint(1, 4) for _ in range(rank)))
    if r.maybe(0.5):
        return [x], {
            "size": r.randint(1, 5) if r.maybe(0.5) else tuple(r.randint(1, 5) for _ in range(rank - 2))
        }
    return [x], {"scale_factor": r.choice((2, 1.5, 0.5, 2.0, 3))}


@calls("torch.nn.functional.unfold", lenient=True)
def _(r):
    x = r.tensor(tuple(r.randint(1, 6) for _ in range(r.randint(3, 4))))
    return [x, r.randint(1, 3)], {
        "stride": r.randint(1, 2),
        "padding": r.randint(0, 1),
        "dilation": r.randint(1, 2),
    }


@calls("torch.nn.functional.fold", lenient=True)
def _(r):
    return [r.tensor((2, 8, r.choice((4, 9, 5)))), 4], {"kernel_size": 2, "stride": r.choice((1, 2))}


@calls("torch.nn.functional.normalize")
def _(r):
    x = r.tensor(r.shape(1, 3))
    return [x], {"dim": r.axis(x.real.dim())}


@calls("torch.nn.functional.glu")
def _(r):
    x = r.tensor(r.shape(1, 3))
    return [x], {"dim": r.axis(x.real.dim())}


@calls("torch.nn.functional.scaled_dot_product_attention", lenient=True)
def _(r):
    batch = r.shape(0, 2)
    n, s, e, v = r.randint(1, 4), r.randint(1, 4), r.randint(1, 4), r.randint(1, 4)
    mask = {"attn_mask": r.tensor(r.stretched((n, s)), torch.bool)} if r.maybe(0.3) else {}
    key = (s, e + r.maybe(0.05))
    return [r.tensor((*batch, n, e)), r.tensor((*batch, *key)), r.tensor((*batch, s, v))], mask


@calls("torch.cdist")
def _(r):
    batch = r.shape(0, 1)
    d = r.size()
    return [r.tensor((*batch, 3, d)), r.tensor((*r.stretched(batch), 2, d))], {}
