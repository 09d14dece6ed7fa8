"""Something is used as an index or a mask that is neither integers nor bools.

Indices for `gather`, `scatter`, `index_select`, `nn.Embedding` and `x[...]` are integers; masks are bools.
Floats raise, even where all of
them are whole numbers.

Source: https://docs.pytorch.org/docs/stable/generated/torch.gather.html
"""

from collections.abc import Iterator

from torchwise.fixes.edits import append_to
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW309", ERROR, "02-tensors/indexing#lists-of-indices"

EXAMPLES = [
    Example(
        bad="""
            vectors = table(ids)
                      ^^^^^^^^^^ `ids` is float32
            """,
        good="""
            vectors = table(ids.long())
            """,
        setup="""
            import torch
            from torch import nn

            table = nn.Embedding(10, 4)
            ids = torch.tensor([1.0, 5.0])
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    column = torch.randn(4, 3).gather(1, torch.zeros(4, 1, dtype=torch.int32))  # int32 is accepted
    """,
]

INDEXED = (
    "gather", "index_select", "take_along_dim", "embedding", "getitem", "setitem", "masked_fill", "one_hot", "Embedding", "scatter",
    "masked_select", "where", "index_add", "take", "EmbeddingBag", "masked_scatter",
)  # fmt: skip
FLOATS = ("float32", "float64", "float16", "bfloat16")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("dtype"):
        if call.op.rstrip("_") not in INDEXED:
            continue
        for broken in call.breaks("dtype"):
            index = call[broken.param]
            cast = ".bool()" if broken.wanted == "bool" else ".long()"
            fix = None
            if (
                index is not None
                and index.text.isidentifier()
                and (broken.got in FLOATS or cast == ".bool()")
            ):
                fix = append_to(index.at, cast, f"Convert it with `{cast[1:]}`")
            yield call.flag(
                f"`{index.text if index else broken.param}` is {broken.got} where {broken.wanted} is needed",
                fix=fix,
            )
            break
