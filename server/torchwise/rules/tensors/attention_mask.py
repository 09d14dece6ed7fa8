"""A mask does the opposite of what it should in attention, or nothing.

Three conventions meet here. A bool `key_padding_mask`, `src_key_padding_mask` or `attn_mask` of
`nn.MultiheadAttention` and the transformer
layers is True where attention is *forbidden*; the `attn_mask` of `scaled_dot_product_attention` is True
where it is *allowed*. A float mask is
added to the scores, so 0 and 1 hardly change anything. And what is masked before a softmax must become
minus infinity: 0, or a tiny
number, or a product with 0, leaves it a share of the weight.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
"""

from collections.abc import Iterator

from torchwise.rules.masking import what_it_fills, what_it_multiplies
from torchwise.rules.vocabulary import WARNING, Example, Flag, Operand, Reading

CODE, LEVEL, LESSON = "TW320", WARNING, "09-attention/attention#three-conventions"


def _padding_counts(bad: dict[str, object], good: dict[str, object]) -> bool:
    """What stands in the padding changes the result."""
    return not bad["mixed"][0, 0].allclose(good["mixed"][0, 0])  # type: ignore[index]


EXAMPLES = [
    Example(
        bad="""
            real = ids != 0
            mixed, _ = attention(x, x, x, key_padding_mask=real)
                                                           ^^^^ is True for what counts
            """,
        good="""
            padding = ids == 0
            mixed, _ = attention(x, x, x, key_padding_mask=padding)
            """,
        setup="""
            import torch
            from torch import nn

            torch.manual_seed(0)
            attention = nn.MultiheadAttention(8, 2, batch_first=True)
            ids, x = torch.tensor([[4, 7, 0, 0]]), torch.randn(1, 4, 8)
            """,
        harm=_padding_counts,
    ),
    Example(
        bad="""
            scores = scores.masked_fill(ids == 0, 1e-9)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ gives 1e-09 to what is masked
            mixed = scores.softmax(dim=-1)
            """,
        good="""
            scores = scores.masked_fill(ids == 0, float("-inf"))
            mixed = scores.softmax(dim=-1)
            """,
        setup="""
            import torch

            ids, scores = torch.tensor([[4, 7, 0, 0]]), torch.tensor([[0.1, 0.2, 0.3, 0.4]])
            """,
        harm=_padding_counts,
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F

    q = torch.randn(1, 2, 4, 8)
    past = torch.ones(4, 4, dtype=torch.bool).tril()
    mixed = F.scaled_dot_product_attention(q, q, q, attn_mask=past)  # here True means allowed
    """,
    """
    import torch

    def clean(scores):
        return scores.masked_fill(scores.isnan(), 0.0).softmax(dim=-1)  # no mask of what to leave out
    """,
]

PADDING = ("key_padding_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask")
SCORES = ("attn_mask", "mask", "src_mask", "tgt_mask", "memory_mask")
FLOATS = ("float32", "float64", "float16", "bfloat16")


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("multi_head_attention", "transformer", "scaled_dot_product_attention"):
        allowed = "keep" if call.op == "scaled_dot_product_attention" else "drop"
        for name in (*PADDING, *SCORES):
            if (mask := call[name]) is not None and (wrong := _wrong(mask, allowed)):
                yield mask.flag(wrong)
    for call in scope.calls_to("softmax"):
        scores = call["input"]
        masking = (
            scores.made_only_by("masked_fill", "masked_fill_", "mul", "mul_") if scores is not None else None
        )
        if masking is not None and (wrong := what_it_fills(masking) or what_it_multiplies(masking)):
            yield masking.flag(
                f"{wrong}: before a softmax it must be minus infinity",
                ((call.at, "this softmax gives it a share"),),
            )


def _wrong(mask: Operand, right: str) -> str:
    tensor = mask.tensor
    if tensor is None or tensor.nature not in ("keep", "drop"):
        return ""
    if tensor.dtype in FLOATS:
        return f"{mask.quoted} holds 0 and 1 as floats, which are added to the scores: a bool mask is needed"
    if tensor.dtype == "bool" and tensor.nature != right:
        is_true = "what counts" if tensor.nature == "keep" else "what is to be left out"
        means = "left out" if right == "drop" else "attended to"
        return f"{mask.quoted} is True for {is_true}, but True means {means} here"
    return ""
