"""torch.distributions: samples and their log-probabilities, as shapes that come from the parameters.

A distribution is an object with its parameters as attributes. `batch_shape` is what the parameters are
stretched to, `event_shape` the axes that one draw has; a sample is of the shape
`(*sample_shape, *batch_shape, *event_shape)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchwise.domain.dtype import category
from torchwise.domain.shape import broadcast
from torchwise.domain.value import ANY, Const, Items, Num, Obj, Shape, Tensor, Value
from torchwise.ops.operands import default_dtype, number_kind
from torchwise.ops.rows import Answer
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

HOME = "torch.distributions."
BASE = f"{HOME}Distribution"
SOURCE = "distributions.html"
Shapes = Callable[[Shape], tuple[Shape, Shape]]


def flat(shape: Shape) -> tuple[Shape, Shape]:
    """One number for each place of the parameters."""
    return shape, ()


def of_classes(shape: Shape) -> tuple[Shape, Shape]:
    """The last axis of the parameter is that of the classes, and a draw is one of them."""
    return shape[:-1], ()


def of_vectors(shape: Shape) -> tuple[Shape, Shape]:
    """The last axis of the parameter is that of a draw."""
    return shape[:-1], shape[-1:]


# class; module; parameters; how they make batch and event; whether draws are differentiable
DISTRIBUTIONS: tuple[tuple[str, str, str, Shapes, bool], ...] = (
    ("Normal", "normal", "loc scale", flat, True),
    ("LogNormal", "log_normal", "loc scale", flat, True),
    ("Laplace", "laplace", "loc scale", flat, True),
    ("Cauchy", "cauchy", "loc scale", flat, True),
    ("Gumbel", "gumbel", "loc scale", flat, True),
    ("Uniform", "uniform", "low high", flat, True),
    ("Beta", "beta", "concentration1 concentration0", flat, True),
    ("Gamma", "gamma", "concentration rate", flat, True),
    ("Exponential", "exponential", "rate", flat, True),
    ("HalfNormal", "half_normal", "scale", flat, True),
    ("HalfCauchy", "half_cauchy", "scale", flat, True),
    ("StudentT", "studentT", "df loc scale", flat, True),
    ("Poisson", "poisson", "rate", flat, False),
    ("Bernoulli", "bernoulli", "probs logits", flat, False),
    ("Geometric", "geometric", "probs logits", flat, False),
    ("Categorical", "categorical", "probs logits", of_classes, False),
    ("OneHotCategorical", "one_hot_categorical", "probs logits", of_vectors, False),
    ("Dirichlet", "dirichlet", "concentration", of_vectors, True),
)


def sizes(shape: Shape | None) -> Value:
    return ANY if shape is None else Items(tuple(map(Num, shape)), "size")


def constructor(name: str, parameters: Sequence[str], shapes: Shapes) -> Returns:
    def returns(given: Given) -> Answer:
        values = {p: given.values[p] for p in parameters if p in given and given.values[p] != Const(None)}
        shape, broken = _stretched(values)
        batch, event = (None, None) if shape is None or _too_flat(shape, shapes) else shapes(shape)
        attrs = {**values, "batch_shape": sizes(batch), "event_shape": sizes(event)}
        made = Made(Obj(f"{HOME}{name}", attrs, bases=(BASE,)))
        return Outcome(made, broken)

    return returns


def _too_flat(shape: Shape, shapes: Shapes) -> bool:
    return not shape and shapes is not flat


def _stretched(values: dict[str, Value]) -> tuple[Shape | None, tuple[Broken, ...]]:
    """What the parameters are broadcast to, python numbers among them."""
    found: list[Shape] = []
    for value in values.values():
        if isinstance(value, Tensor) and value.shape is not None:
            found.append(value.shape)
        elif number_kind(value) is not None:
            found.append(())
        else:
            return None, ()
    shape, clash = broadcast(found)
    if clash is None:
        return shape, ()
    axis, wanted, got = clash
    return None, (Broken("broadcast", list(values)[-1], str(axis), wanted, got),)


for _name, _module, _params, _shapes, _ in DISTRIBUTIONS:
    op(
        *(f"{HOME}{_name}", f"{HOME}{_module}.{_name}"),
        params=f"{_params} validate_args",
        returns=constructor(_name, tuple(_params.split()), _shapes),
        source=SOURCE,
        name=_name,
    )


def _multivariate(given: Given) -> Answer:
    """A mean (*b, k), and a matrix (*b, k, k)."""
    values = {name: v for name, v in given.values.items() if name != "validate_args"}
    loc = given["loc"]
    matrix = next((v for name, v in values.items() if name != "loc" and isinstance(v, Tensor)), None)
    batch: Shape | None = None
    event: Shape | None = None
    broken: tuple[Broken, ...] = ()
    if (
        isinstance(loc, Tensor)
        and loc.shape
        and matrix is not None
        and matrix.shape
        and len(matrix.shape) > 1
    ):
        batch, clash = broadcast((loc.shape[:-1], matrix.shape[:-2]))
        event = loc.shape[-1:]
        if matrix.shape[-1].same_as(loc.shape[-1]).fails:
            broken = (Broken("axis", "loc", "-1", matrix.shape[-1], loc.shape[-1], matrix),)
        batch = None if clash is not None else batch
    attrs = {**values, "batch_shape": sizes(batch), "event_shape": sizes(event)}
    return Outcome(Made(Obj(f"{HOME}MultivariateNormal", attrs, bases=(BASE,))), broken)


op(
    *(f"{HOME}MultivariateNormal", f"{HOME}multivariate_normal.MultivariateNormal"),
    params="loc covariance_matrix precision_matrix scale_tril validate_args",
    returns=_multivariate,
    source=SOURCE,
    name="MultivariateNormal",
)


def _independent(given: Given) -> Answer:
    """The last axes of the batch become axes of one draw."""
    base, count = given.obj("base_distribution"), given.int("reinterpreted_batch_ndims")
    batch: Shape | None = None
    event: Shape | None = None
    attrs: dict[str, Value] = {"base_dist": given["base_distribution"]}
    if base is not None:
        inner, own = shape_of(base, "batch_shape"), shape_of(base, "event_shape")
        if inner is not None and own is not None and count is not None and 0 <= count <= len(inner):
            batch, event = inner[: len(inner) - count], inner[len(inner) - count :] + own
        attrs.update({name: value for name, value in base.attrs.items() if isinstance(value, Tensor)})
    attrs.update(batch_shape=sizes(batch), event_shape=sizes(event))
    bases = (BASE,) if base is None else (base.cls, *base.bases)
    return Made(Obj(f"{HOME}Independent", attrs, bases=bases))


op(
    *(f"{HOME}Independent", f"{HOME}independent.Independent"),
    params="base_distribution reinterpreted_batch_ndims validate_args",
    returns=_independent,
    source=SOURCE,
    name="Independent",
)


def shape_of(obj: Obj, name: str) -> Shape | None:
    value = obj.attrs.get(name)
    if not isinstance(value, Items):
        return None
    return tuple(part.dim for part in value.items if isinstance(part, Num))


def dtype_and_device(given: Given, obj: Obj) -> tuple[str | None, str | None]:
    """Those of the parameters; numbers make tensors of the default dtype."""
    tensors = [v for v in obj.attrs.values() if isinstance(v, Tensor)]
    if not tensors:
        return default_dtype(given), "cpu"
    dtypes, devices = {t.dtype for t in tensors}, {t.device for t in tensors}
    return (dtypes.pop() if len(dtypes) == 1 else None), (devices.pop() if len(devices) == 1 else None)


INTEGER_DRAWS = (f"{HOME}Categorical",)


def _sample(given: Given) -> Answer:
    obj = given.obj()
    if obj is None:
        return Tensor()
    batch, event = shape_of(obj, "batch_shape"), shape_of(obj, "event_shape")
    dtype, device = dtype_and_device(given, obj)
    if any(cls in INTEGER_DRAWS for cls in (obj.cls, *obj.bases)):
        dtype = "int64"
    lead = given.dims("sample_shape") if "sample_shape" in given else ()
    if lead is None or batch is None or event is None:
        return Tensor(None, None, dtype, device)
    first = tuple(given.fresh(f"sample{i}") if size is None else size for i, size in enumerate(lead))
    return Tensor(first + batch + event, None, dtype, device)


def _log_prob(given: Given) -> Answer:
    """The value is broadcast with the parameters; the axes of one draw are summed away."""
    obj, value = given.obj(), given["value"]
    if obj is None:
        return Tensor()
    batch, event = shape_of(obj, "batch_shape"), shape_of(obj, "event_shape")
    dtype, device = dtype_and_device(given, obj)
    if not isinstance(value, Tensor) or value.shape is None or batch is None or event is None:
        return Tensor(None, None, None, device)
    whole, clash = broadcast((value.shape, batch + event))
    if clash is not None:
        axis, wanted, got = clash
        return Outcome(Tensor(), (Broken("broadcast", "value", str(axis), got, wanted, value),))
    known = dtype if dtype is not None and value.dtype is not None else None
    if known is not None and value.dtype != known and category(value.dtype or known) > 1:
        known = None
    return Tensor(whole[: len(whole) - len(event)], None, known, device)


def _of_batch(given: Given) -> Answer:
    obj = given.obj()
    if obj is None:
        return Tensor()
    dtype, device = dtype_and_device(given, obj)
    return Tensor(shape_of(obj, "batch_shape"), None, dtype, device)


def _of_draw(given: Given) -> Answer:
    """mean, stddev, variance, mode: of the shape of one draw. Categorical has no mean worth the name."""
    obj = given.obj()
    if obj is None:
        return Tensor()
    batch, event = shape_of(obj, "batch_shape"), shape_of(obj, "event_shape")
    dtype, device = dtype_and_device(given, obj)
    if obj.cls in INTEGER_DRAWS:
        dtype = None
    return Tensor(None if batch is None or event is None else batch + event, None, dtype, device)


def _of_parameter(given: Given) -> Answer:
    """probs and logits, of which one was given and the other is worked out."""
    obj = given.obj()
    found = next((obj.attrs[name] for name in ("probs", "logits") if name in obj.attrs), ANY) if obj else ANY
    return Tensor(found.shape, None, found.dtype, found.device) if isinstance(found, Tensor) else ANY


for _method, _params, _does, _grad in (
    ("sample", "self sample_shape", _sample, "cut"),
    ("rsample", "self sample_shape", _sample, "record"),
    ("log_prob", "self value", _log_prob, "record"),
    ("cdf", "self value", _log_prob, "record"),
    ("entropy", "self", _of_batch, "record"),
):
    op(f"{BASE}.{_method}", params=_params, returns=_does, grad=_grad, source=SOURCE)
for _attribute, _does in (
    ("mean", _of_draw),
    ("mode", _of_draw),
    ("variance", _of_draw),
    ("stddev", _of_draw),
    ("probs", _of_parameter),
    ("logits", _of_parameter),
):
    op(f"{BASE}.{_attribute}", params="self", returns=_does, tags="attribute", source=SOURCE)


def _divergence(given: Given) -> Answer:
    p, q = given.obj("p"), given.obj("q")
    shapes = [shape_of(obj, "batch_shape") if obj is not None else None for obj in (p, q)]
    if shapes[0] is None or shapes[1] is None or p is None:
        return Tensor()
    shape, clash = broadcast((shapes[0], shapes[1]))
    dtype, device = dtype_and_device(given, p)
    return Tensor(None if clash else shape, None, None if q is None else dtype, device)


op(
    *(f"{HOME}kl_divergence", f"{HOME}kl.kl_divergence"),
    params="p q",
    returns=_divergence,
    source=SOURCE,
)
