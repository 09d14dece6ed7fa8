"""Numbers that numpy draws: by `np.random`, by a `RandomState` of one's own, and by a `Generator`."""

from __future__ import annotations

from torchwise.domain.value import ANY, NONE, Num, Obj, Shape, Some
from torchwise.ops.array_dtypes import asked
from torchwise.ops.arrays import (
    PAGE,
    UNKNOWN,
    array,
    as_array,
    broadcast_of,
    is_whole,
    laid_out,
    number,
    result,
    sizes,
)
from torchwise.ops.axis_arguments import is_none
from torchwise.ops.creation import held
from torchwise.ops.operands import number_kind
from torchwise.ops.python_library import shuffled
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Given, Made, Returns, op

GENERATOR, LEGACY = "numpy.random.Generator", "numpy.random.RandomState"


def _row(home: str, name: str, params: str, returns: Returns, tags: str = "pure random") -> None:
    path = f"{home}.{name}"
    op(
        path,
        params=params if home == "numpy.random" else f"self {params}",
        returns=returns,
        grad="cut",
        tags=tags,
        source=f"{PAGE}random/generated/{path}.html",
        name=path,
    )


def _old(names: str, params: str, returns: Returns) -> None:
    """As functions of `np.random`, and as methods of a RandomState."""
    for name in names.split():
        _row("numpy.random", name, params, returns)
        _row(LEGACY, name, params, returns)


def _new(names: str, params: str, returns: Returns) -> None:
    for name in names.split():
        _row(GENERATOR, name, params, returns)


def _all(names: str, params: str, returns: Returns) -> None:
    _old(names, params, returns)
    _new(names, params, returns)


op(
    LEGACY,
    params="seed",
    returns=lambda given: Made(Obj(LEGACY)),
    grad="cut",
    tags="pure",
    source=f"{PAGE}random/legacy.html",
)
_row("numpy.random", "default_rng", "seed", lambda given: Made(Obj(GENERATOR)), "pure")


# Independent numbers of one distribution


def drawn(kind: str) -> Returns:
    """Without a size there are as many as the parameters ask for; of plain ones it is a python number."""

    def returns(given: Given) -> Answer:
        dtype = asked(given, {"float": "float64", "int": "int64"}[kind])
        if not is_none(given, "size"):
            return array(sizes(given, "size"), dtype)
        params = [v for name, v in given.values.items() if name not in ("self", "size", "dtype", "method")]
        found = [as_array(given, value) for value in params if value != NONE]
        shape = broadcast_of([None if x is None else x.shape for x in found]) if found else ()
        return array(shape, dtype) if shape != () else Some(kind) if is_none(given, "dtype") else ANY

    return returns


DISTRIBUTIONS = (
    ("normal", "loc scale", "float"),
    ("uniform", "low high", "float"),
    ("lognormal", "mean sigma", "float"),
    ("laplace logistic gumbel", "loc scale", "float"),
    ("gamma", "shape scale", "float"),
    ("beta", "a b", "float"),
    ("exponential rayleigh", "scale", "float"),
    ("chisquare standard_t", "df", "float"),
    ("weibull pareto power", "a", "float"),
    ("triangular", "left mode right", "float"),
    ("vonmises", "mu kappa", "float"),
    ("wald", "mean scale", "float"),
    ("f", "dfnum dfden", "float"),
    ("standard_cauchy", "", "float"),
    ("poisson", "lam", "int"),
    ("binomial negative_binomial", "n p", "int"),
    ("geometric logseries", "p", "int"),
    ("hypergeometric", "ngood nbad nsample", "int"),
    ("zipf", "a", "int"),
)
for _names, _params, _kind in DISTRIBUTIONS:
    _all(_names, f"{_params} size", drawn(_kind))
_old("random random_sample standard_normal standard_exponential", "size", drawn("float"))
_old("standard_gamma", "shape size", drawn("float"))
_old("randint", "low high size dtype", drawn("int"))
_new("random standard_normal", "size dtype out", drawn("float"))
_new("standard_exponential", "size dtype method out", drawn("float"))
_new("standard_gamma", "shape size dtype out", drawn("float"))


def _integers(given: Given) -> Answer:
    """Also alone it is a number of numpy's."""
    made = drawn("int")(given)
    return number(asked(given, "int64")) if isinstance(made, Some) or made is ANY else made


_new("integers", "low high size dtype endpoint", _integers)


def _by_axes(given: Given) -> Answer:
    """`rand(2, 3)`; without axes it is a python number."""
    return array(sizes(given, "shape"), "float64") if "shape" in given else Some("float")


_old("rand randn", "*shape", _by_axes)


# Several numbers that belong together


def _vectors(name: str, dtype: str) -> Returns:
    """A vector as long as one of the parameters; with a size, so many of them."""

    def returns(given: Given) -> Answer:
        of = as_array(given, given[name])
        alone = "n" not in given or number_kind(given["n"]) is not None
        if of is None or of.shape is None or len(of.shape) != 1 or not alone:
            return array(None, dtype)
        count: Shape | None = () if is_none(given, "size") else sizes(given, "size")
        return array(None if count is None else (*count, *of.shape), dtype)

    return returns


_all("multivariate_normal", "mean cov size", _vectors("mean", "float64"))
_all("dirichlet", "alpha size", _vectors("alpha", "float64"))
_all("multinomial", "n pvals size", _vectors("pvals", "int64"))


# Elements, and orders of them


def _chosen(given: Given) -> Answer:
    """Of the whole numbers below one, or of the rows of an array."""
    count: Shape | None = () if is_none(given, "size") else sizes(given, "size")
    if number_kind(given["a"]) == "int":
        return Some("int") if is_none(given, "size") else array(count, "int64")
    x = as_array(given, given["a"])
    if x is None or not x.shape or count is None:
        return array(None, x.dtype) if x is not None and not is_none(given, "size") else ANY
    axis = given.int("axis", 0)
    if axis is None or not -len(x.shape) <= axis < len(x.shape):
        return array(None, x.dtype)
    axis %= len(x.shape)
    return result((*x.shape[:axis], *count, *x.shape[axis + 1 :]), x.dtype)


def _permuted(given: Given) -> Answer:
    """An order of the whole numbers below one, or the rows of an array in another one."""
    n = given["x"]
    if isinstance(n, Num):
        return array((n.dim,), "int64")
    if number_kind(n) == "int":
        return array((given.fresh("x"),), "int64")
    x = held(given, n)
    found = x or as_array(given, n)
    if found is None or found.shape == ():
        return UNKNOWN
    return laid_out(found.shape, found.dtype, found.strides if is_whole(found) else None)


_old("choice", "a size replace p", _chosen)
_new("choice", "a size replace p axis shuffle", _chosen)
_old("permutation", "x", _permuted)
_new("permutation permuted", "x axis", _permuted)
for _home in ("numpy.random", LEGACY, GENERATOR):
    _row(_home, "shuffle", "x axis", shuffled)
