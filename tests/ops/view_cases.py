"""How to call views and pieces of tensors."""

import torch

from tests.ops.calls import both, calls
from tests.ops.draw import Draw


def factored(r: Draw, total: int) -> list[int]:
    """Sizes that multiply to a number of elements, rarely not quite."""
    out = []
    while total > 1 and r.maybe(0.8):
        factor = r.choice([f for f in range(2, total + 1) if total % f == 0])
        out.append(factor)
        total //= factor
    out += [total] if total != 1 or r.maybe(0.3) else []
    if r.maybe(0.3):
        out.insert(r.randint(0, len(out)), 1)
    if out and r.maybe(0.4):
        out[r.randrange(len(out))] = -1
    if out and r.maybe(0.05):
        out[r.randrange(len(out))] += 1
    return out


@calls("Tensor.view", "Tensor.reshape")
def _(r):
    x = r.tensor()
    sizes = factored(r, x.real.numel())
    return ([x, tuple(sizes)], {}) if r.maybe(0.5) or not sizes else ([x, *sizes], {})


@calls("torch.reshape")
def _(r):
    x = r.tensor()
    return [x, tuple(factored(r, x.real.numel()))], {}


@calls("Tensor.view_as", "Tensor.reshape_as", "Tensor.expand_as", "Tensor.type_as", lenient=False)
def _(r):
    x = r.tensor()
    other = r.tensor(
        r.stretched(x.real.shape) if r.maybe(0.5) else x.real.shape[::-1],
        r.choice((torch.float32, torch.int64)),
    )
    return [x, other], {}


@calls(*both("flatten"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    return [x, *[r.axis(rank) for _ in range(r.randint(0, 2))]], {}


@calls(*both("ravel", "t", "adjoint", "clone", "detach", "squeeze", "tril", "triu", "msort", "numel"))
def _(r):
    return [r.tensor()], {}


@calls(
    "Tensor.contiguous",
    "Tensor.dim",
    "Tensor.stride",
    "Tensor.size",
    "Tensor.is_contiguous",
    "Tensor.nelement",
)
def _(r):
    return [r.tensor()], {}


@calls(*both("unflatten"))
def _(r):
    x = r.tensor(r.shape(1, 3))
    axis = r.axis(x.real.dim())
    size = x.real.shape[axis] if -x.real.dim() <= axis < x.real.dim() else 2
    return [x, axis, tuple(factored(r, size) or [1])], {}


@calls(*both("transpose", "swapaxes", "swapdims"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.axis(x.real.dim())], {}


@calls(*both("permute"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    return [x, tuple(r.sample(range(rank), rank)) if r.maybe(0.8) else r.axes(rank)], {}


@calls(*both("movedim", "moveaxis"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    if r.maybe(0.5):
        return [x, r.axis(rank), r.axis(rank)], {}
    count = r.randint(0, rank)
    pair = [tuple(r.sample(range(rank), count)) for _ in range(2)]
    return [x, *pair], {}


@calls("torch.squeeze dim", "Tensor.squeeze dim")
def _(r):
    x = r.tensor(tuple(r.choice((1, 1, 2, 3)) for _ in range(r.randint(0, 4))))
    rank = x.real.dim()
    return [x], {"dim": r.axis(rank) if r.maybe(0.6) else r.axes(rank)}


@calls(*both("unsqueeze"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim() + 1)], {}


@calls("Tensor.expand", "torch.broadcast_to", "Tensor.broadcast_to")
def _(r):
    shape = r.shape()
    x = r.tensor(r.stretched(shape))
    sizes = tuple(-1 if r.maybe(0.2) else size for size in shape)
    return [x, sizes], {}


@calls(*both("select"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.randint(-3, 3)], {}


@calls(*both("narrow"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.randint(-2, 2), r.randint(0, 3)], {}


@calls(*both("split"))
def _(r):
    x = r.tensor()
    rank = x.real.dim()
    axis = r.axis(rank)
    if r.maybe(0.5) or not -rank <= axis < rank:
        return [x, r.randint(1, 4)], {"dim": axis}
    size = x.real.shape[axis]
    first = r.randint(0, size)
    return [x, [first, size - first + (r.maybe(0.1))]], {"dim": axis}


@calls(*both("chunk"), symbols=False)  # of long enough axes as many chunks come as are asked for
@calls(*both("tensor_split"))
def _(r):
    x = r.tensor()
    return [x, r.randint(0 if r.maybe(0.1) else 1, 4)], {"dim": r.axis(x.real.dim())}


@calls(*both("tensor_split at"))
def _(r):
    x = r.tensor()
    return [x, tuple(r.randint(-3, 5) for _ in range(r.randint(0, 3)))], {"dim": r.axis(x.real.dim())}


@calls(*both("unbind"))
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim())], {}


@calls("Tensor.unfold")
def _(r):
    x = r.tensor()
    return [x, r.axis(x.real.dim()), r.randint(0, 4), r.randint(0 if r.maybe(0.1) else 1, 3)], {}


@calls(*both("diagonal"))
def _(r):
    x = r.tensor(r.shape(2, 4))
    rank = x.real.dim()
    return [x, r.randint(-2, 2), r.axis(rank), r.axis(rank)], {}


@calls(*both("flip"))
def _(r):
    x = r.tensor()
    return [x], {"dims": r.axes(x.real.dim())}


@calls(*both("roll"))
def _(r):
    x = r.tensor()
    axes = r.axes(x.real.dim())
    return [x], {"shifts": (1,) * len(axes), "dims": axes}


@calls("Tensor.repeat", *both("tile"))
def _(r):
    x = r.tensor()
    return [x, tuple(r.randint(0, 3) for _ in range(x.real.dim() + r.randint(-1, 2)))], {}


@calls(*both("repeat_interleave"), lenient=True)
def _(r):
    x = r.tensor()
    return [x, r.randint(0, 3)], {"dim": r.axis(x.real.dim())} if r.maybe(0.6) else {}


@calls(*both("diag"))
def _(r):
    return [r.tensor(r.shape(0, 3)), r.randint(-2, 2)], {}
