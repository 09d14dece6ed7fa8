"""Embeddings: rows of a table looked up by integers."""

from __future__ import annotations

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Effect, Write
from torchwise.domain.shape import contiguous_strides
from torchwise.domain.value import ANY, NONE, Const, Num, Obj, Shape, Tensor, Value
from torchwise.domain.verdict import HOLDS, Verdict
from torchwise.ops.agreement import layer_device, rank
from torchwise.ops.layers import MODULE, at_least, by, layer, parameter
from torchwise.ops.spec import Broken, Given, Made, Outcome, Returns, op

INDICES = ("int64", "int32")


def _whole_numbers(x: Tensor) -> tuple[Broken, ...]:
    if x.dtype is None or x.dtype in INDICES:
        return ()
    return (Broken("dtype", "input", wanted="int64", got=x.dtype, because=x),)


def embedding(given: Given) -> Outcome:
    """(...) -> (..., embedding_dim)"""
    x, weight = given["input"], given.tensor("weight")
    dtype = None if weight is None else weight.dtype
    renewed: tuple[Effect, ...] = ()
    if weight is not None and isinstance(given.const("max_norm", None), float | int):
        renewed = (Write(weight),)  # rows that are too long are shortened in the table itself
    if not isinstance(x, Tensor):
        return Outcome(Tensor(None, None, dtype) if x is ANY else ANY, (), renewed)
    device, broken = layer_device(x, weight)
    broken += _whole_numbers(x)
    if x.shape is None or weight is None or weight.shape is None:
        return Outcome(Tensor(None, None, dtype, device), broken, renewed)
    if len(weight.shape) != 2:
        return Outcome(Tensor(None, None, dtype, device), broken + rank("weight", weight, 2), renewed)
    shape: Shape = (*x.shape, weight.shape[1])
    return Outcome(Tensor(shape, contiguous_strides(shape), dtype, device), broken, renewed)


def embedding_bag(given: Given) -> Outcome:
    """(bags, length), or a flat list of indices with the offset of each bag -> (bags, embedding_dim)"""
    x, weight, offsets = given["input"], given.tensor("weight"), given.get("offsets", NONE)
    if not isinstance(x, Tensor):
        return Outcome(Tensor())
    device, broken = layer_device(x, weight)
    dtype = None if weight is None else weight.dtype
    if dtype in INDICES and x.dtype not in INDICES:  # table first, as it once was: torch swaps them
        return Outcome(Tensor())
    broken += _whole_numbers(x) + rank("input", x, 1, 2)
    if x.shape is None or weight is None or weight.shape is None or len(weight.shape) != 2:
        return Outcome(Tensor(None, None, dtype, device), broken)
    if len(x.shape) == 2 and isinstance(offsets, Tensor):
        broken += (
            Broken("argument", "offsets", wanted="none with a 2-d input", got="offsets", because=offsets),
        )
    if len(x.shape) == 1 and offsets == NONE:
        broken += (Broken("argument", "offsets", wanted="offsets with a 1-d input", got="none", because=x),)
    shape = (_bags(given, x, offsets), weight.shape[1])
    return Outcome(Tensor(shape, contiguous_strides(shape), dtype, device), broken)


def _bags(given: Given, x: Tensor, offsets: Value) -> Dim:
    assert x.shape is not None
    if len(x.shape) == 2:
        return x.shape[0]
    closed = given.const("include_last_offset", False)
    if isinstance(offsets, Tensor) and offsets.shape and closed is not ...:
        return offsets.shape[0] - 1 if closed else offsets.shape[0]
    return given.fresh("bags")


BAGS = (
    "input weight offsets max_norm norm_type scale_grad_by_freq mode sparse per_sample_weights "
    "include_last_offset "
    "padding_idx"
)
for _function, _params in (
    (embedding, "input weight padding_idx max_norm norm_type scale_grad_by_freq sparse"),
    (embedding_bag, BAGS),
):
    _path = f"torch.nn.functional.{_function.__name__}"
    op(_path, params=_params, returns=_function, saves="input<weight", source=f"generated/{_path}.html")
op(
    "torch.embedding",
    params="weight input padding_idx scale_grad_by_freq sparse",
    returns=embedding,
    saves="input<weight",
    source="generated/torch.nn.functional.embedding.html",
)


def _table(given: Given) -> dict[str, Value]:
    """The weight; a padding index counted from the end is counted from the start."""
    rows, padding = given.dim("num_embeddings"), given.dim("padding_idx")
    held: dict[str, Value] = {}
    if padding is not None and rows is not None and padding.less_than(Dim.of(0)).holds:
        held["padding_idx"] = Num(rows + padding)
    weight = given.tensor("_weight")
    return {
        **held,
        "weight": parameter(given, rows, given.dim("embedding_dim")) if weight is None else weight,
    }


def _needs(given: Given) -> tuple[Broken, ...]:
    broken = at_least(given, 0, "num_embeddings", "embedding_dim")
    padding, rows = given.dim("padding_idx"), given.dim("num_embeddings")
    if padding is not None and rows is not None:
        if (not padding.less_than(rows).unknown and not padding.less_than(rows).holds) or padding.less_than(
            -rows
        ).holds:
            broken += (Broken("argument", "padding_idx", "num_embeddings", wanted=rows, got=padding),)
    return broken


EMBEDDING = "max_norm=None norm_type=2.0 scale_grad_by_freq=False "
layer(
    "torch.nn.Embedding",
    f"num_embeddings embedding_dim padding_idx=None {EMBEDDING}sparse=False _weight=None _freeze=False "
    f"device=None dtype=None",
    home="sparse",
    holds=_table,
    needs=_needs,
    call=by(embedding, "weight max_norm"),
    does="embedding",
    saves="input<weight",
)
layer(
    "torch.nn.EmbeddingBag",
    f"num_embeddings embedding_dim {EMBEDDING}mode='mean' sparse=False _weight=None "
    f"include_last_offset=False padding_idx=None "
    "device=None dtype=None",
    home="sparse",
    holds=_table,
    needs=_needs,
    call=by(embedding_bag, "weight include_last_offset"),
    does="embedding_bag",
    params="input offsets per_sample_weights",
    saves="input<weight",
)


def _from_table(path: str) -> Returns:
    def returns(given: Given) -> Outcome:
        table, frozen = given.tensor("embeddings"), given.const("freeze", True)
        if table is None:
            return Outcome(Made(Obj(path, {"weight": ANY}, marks={"training": HOLDS}, bases=(MODULE,))))
        broken = rank("embeddings", table, 2)
        learns = Verdict.of(None if frozen is ... else not frozen)
        weight = Tensor(
            table.shape, table.strides, table.dtype, table.device, learns, HOLDS, kind="parameter"
        )
        sizes = table.shape if table.shape is not None and len(table.shape) == 2 else (None, None)
        attrs: dict[str, Value] = {"weight": weight, "max_norm": given.get("max_norm", NONE)}
        for name, size in zip(("num_embeddings", "embedding_dim"), sizes):
            attrs[name] = ANY if size is None else Num(size)
        attrs["include_last_offset"] = given.get("include_last_offset", Const(False))
        return Outcome(Made(Obj(path, attrs, marks={"training": HOLDS}, bases=(MODULE,))), broken)

    return returns


for _cls, _params in (
    ("Embedding", "embeddings freeze padding_idx max_norm norm_type scale_grad_by_freq sparse"),
    (
        "EmbeddingBag",
        "embeddings freeze max_norm norm_type scale_grad_by_freq mode sparse include_last_offset padding_idx",
    ),
):
    op(
        f"torch.nn.{_cls}.from_pretrained",
        params=_params,
        returns=_from_table(f"torch.nn.{_cls}"),
        grad="cut",
        tags="layer pure",
        source=f"generated/torch.nn.{_cls}.html",
    )
