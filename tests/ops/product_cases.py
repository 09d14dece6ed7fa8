"""How to call products of matrices."""

from typing import Any

import torch

from tests.ops.calls import both, calls
from tests.ops.draw import Draw


def matrices(r: Draw, *ranks: int) -> list[Any]:
    n, k, m, b = r.size(), r.size(), r.size(), r.size()
    sizes = {1: [(k,), (k,)], 2: [(n, k), (k, m)], 3: [(b, n, k), (b, k, m)], 4: [(2, b, n, k), (2, b, k, m)]}
    out = []
    for i, rank in enumerate(ranks):
        shape = list(sizes[rank][i])
        if r.maybe(0.06):
            shape[r.randrange(len(shape))] += 1
        out.append(r.tensor(tuple(shape), torch.float32 if r.maybe(0.95) else torch.float64))
    return out


@calls(*both("matmul"), "operator.matmul")
def _(r):
    return matrices(r, r.randint(1, 4), r.randint(1, 4)), {}


for _name, _ranks in (("mm", (2, 2)), ("bmm", (3, 3)), ("mv", (2, 1)), ("dot", (1, 1))):
    calls(*both(_name))(lambda r, ranks=_ranks: (matrices(r, *ranks if r.maybe(0.9) else (2, 3)), {}))


@calls(*both("addmm"))
def _(r):
    a, b = matrices(r, 2, 2)
    x = r.tensor(r.stretched((a.real.shape[0], b.real.shape[1])))
    return [x, a, b], {}


@calls(*both("baddbmm"))
def _(r):
    a, b = matrices(r, 3, 3)
    x = r.tensor(r.stretched((a.real.shape[0], a.real.shape[1], b.real.shape[2])))
    return [x, a, b], {}


@calls(*both("outer"))
def _(r):
    return [
        r.tensor(r.shape(1, 1), r.dtype()),
        r.tensor(r.shape(1, 1) if r.maybe(0.9) else r.shape(0, 2), r.dtype()),
    ], {}


@calls("torch.tensordot")
def _(r):
    k, n = r.size(), r.size()
    return [r.tensor((n, k)), r.tensor((k, 3)) if r.maybe(0.9) else r.tensor((n, 2))], {
        "dims": 1 if r.maybe(0.6) else ([1], [0])
    }


EQUATIONS = (
    "ij,jk->ik",
    "bij,bjk->bik",
    "bhid,bhjd->bhij",
    "ij->ji",
    "ii->i",
    "i,j->ij",
    "...ij,...jk->...ik",
    "bij,bjk",
    "ij,ij->",
)


@calls("torch.einsum", lenient=False)
def _(r):
    equation = r.choice(EQUATIONS)
    sizes = {letter: r.size() for letter in "bhijkd"}
    terms = equation.partition("->")[0].split(",")
    operands = []
    for term in terms:
        shape = [sizes[letter] for letter in term.replace("...", "b")]
        if r.maybe(0.06):
            shape[r.randrange(len(shape))] += 1
        operands.append(r.tensor(tuple(shape), r.choice((torch.float32,) * 5 + (torch.float64,))))
    return [equation, *operands], {}
