"""How to call reading and writing by indices."""

from typing import Any

import torch

from tests.ops.calls import both, calls
from tests.ops.draw import Draw


@calls(*both("gather"), lenient=True)
def _(r):
    x = r.tensor(r.shape(0, 3), torch.float32)
    rank = x.real.dim()
    axis = r.axis(rank)
    sizes = [r.randint(0, size) if r.maybe(0.3) else size for size in x.real.shape]
    if -rank <= axis < rank:
        sizes[axis] = r.size()
    if r.maybe(0.1):
        sizes = list(r.shape(0, 3))
    dtype = torch.int64 if r.maybe(0.9) else torch.float32
    index = r.tensor(tuple(sizes), dtype) if dtype == torch.float32 else r.index(tuple(sizes), 1)
    return [x, axis, index], {}


@calls(*both("index_select"), lenient=True)
def _(r):
    x = r.tensor(r.shape(0, 3))
    return [x, r.axis(x.real.dim()), r.index(r.shape(0, 2) if r.maybe(0.2) else (r.size(),), 1)], {}


@calls(*both("scatter", "scatter_add"), "Tensor.scatter_", "Tensor.scatter_add_")
def _(r):
    x = r.tensor(r.shape(0, 3), torch.float32)
    index = r.index(x.real.shape if r.maybe(0.8) else r.shape(0, 3), 1)
    source = r.tensor(
        index.real.shape if r.maybe(0.8) else r.shape(0, 3), torch.float32 if r.maybe(0.9) else torch.float64
    )
    return [x, r.axis(x.real.dim()), index, source], {}


@calls(*both("masked_fill"), "Tensor.masked_fill_")
def _(r):
    shape = r.shape()
    mask = r.tensor(r.stretched(shape), torch.bool if r.maybe(0.9) else torch.float32)
    return [r.tensor(shape), mask, r.choice((0.0, 2, float("-inf")))], {}


@calls("torch.where")
def _(r):
    shape = r.shape()
    parts = [2.0 if r.maybe(0.2) else r.tensor(r.stretched(shape), r.dtype()) for _ in range(2)]
    return [r.tensor(r.stretched(shape), torch.bool if r.maybe(0.9) else torch.float32), *parts], {}


@calls(*both("nonzero", "argwhere", "unique"), partial=True)
def _(r):
    return [r.tensor()], {}


@calls(*both("masked_select"), partial=True, lenient=True)
def _(r):
    shape = r.shape()
    return [r.tensor(shape), r.tensor(r.stretched(shape), torch.bool)], {}


@calls("torch.nn.functional.one_hot")
def _(r):
    return [r.index(r.shape(0, 3), 2)], {"num_classes": r.randint(2, 4)}


@calls("operator.getitem")
def _(r):
    x = r.tensor(r.shape(0, 4))
    return [x, an_index(r, x.real)], {}


def an_index(r: Draw, x: torch.Tensor) -> Any:
    left, parts, dotted, masked = list(x.shape), [], False, False
    while len(parts) < 5 and r.maybe(0.75):
        kind = r.randrange(9)
        size = left[0] if left else 0
        if kind == 0:
            parts.append(None)
        elif kind == 1 and not dotted:
            dotted = True
            parts.append(...)
            left = left[r.randint(0, len(left)) :]
            continue
        elif kind in (2, 3):
            ends = [None if r.maybe(0.4) else r.randint(-3, 4) for _ in range(2)]
            parts.append(slice(*ends, r.choice((None, None, 1, 2, -1 if r.maybe(0.1) else 3))))
            left = left[1:]
        elif kind in (4, 5):
            parts.append(r.randint(-2, 2))
            left = left[1:]
        elif kind == 6 and size:
            parts.append(r.index(r.shape(0, 2), size))
            left = left[1:]
        elif kind == 7 and left and not masked:
            masked = True
            width = r.randint(1, min(2, len(left)))
            parts.append(r.tensor(tuple(left[:width]), torch.bool))
            left = left[width:]
        elif kind == 8 and size:
            parts.append([r.randrange(size) for _ in range(r.randint(1, 3))])
            left = left[1:]
    return parts[0] if len(parts) == 1 and r.maybe(0.7) else tuple(parts)
