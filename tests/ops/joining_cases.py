"""How to call what joins and repeats tensors."""

from tests.ops.calls import alike, calls


@calls("torch.cat", "torch.concat", "torch.concatenate")
def _(r):
    shape = r.shape(0 if r.maybe(0.05) else 1, 4)
    axis = r.axis(len(shape))
    parts = []
    for _ in range(r.randint(0 if r.maybe(0.05) else 1, 3)):
        sizes = list(shape)
        if -len(sizes) <= axis < len(sizes):
            sizes[axis] = r.size()
        if r.maybe(0.05) and sizes:
            sizes[r.randrange(len(sizes))] += 1
        parts.append(alike(r, (0,) if r.maybe(0.05) else tuple(sizes)))
    return [parts if r.maybe(0.5) else tuple(parts), axis], {}


@calls("torch.stack")
def _(r):
    shape = r.shape(0, 3)
    parts = [
        alike(r, shape if r.maybe(0.95) else r.shape(0, 3))
        for _ in range(r.randint(0 if r.maybe(0.05) else 1, 3))
    ]
    return [parts, r.axis(len(shape) + 1)], {}


@calls("torch.hstack", "torch.vstack", "torch.dstack", "torch.column_stack", "torch.row_stack")
def _(r):
    shape = r.shape(0, 3)
    return [[alike(r, shape) for _ in range(r.randint(1, 3))]], {}


@calls("torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d")
def _(r):
    return [r.tensor(r.shape(0, 3))], {}


@calls("torch.meshgrid", "torch.cartesian_prod")
def _(r):
    return [r.tensor(r.shape(1, 1)) for _ in range(r.randint(1, 3))], {}


@calls("torch.broadcast_tensors")
def _(r):
    shape = r.shape()
    return [r.tensor(r.stretched(shape)) for _ in range(r.randint(1, 3))], {}
