"""Heads are split off, and attention runs between the heads of a token.

`scaled_dot_product_attention` attends along the last axis but one. After `x.view(batch, tokens, heads, size)` that is the
heads: each token mixes its own heads and sees no other token. Move the heads in front of the tokens with `.transpose(1, 2)`,
and back before they are put together.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW347", WARNING, "09-attention/attention#heads"


def _sees_no_other(bad: dict[str, object], good: dict[str, object]) -> bool:
    """Whether the first token depends on the second."""
    grads = [ns["x"].grad[0, 1].abs().sum().item() for ns in (bad, good)]  # type: ignore[attr-defined, index]
    return grads[0] == 0.0 and grads[1] > 0.0


EXAMPLES = [
    Example(
        bad="""
            heads = x.view(2, 5, 4, 8)
            mixed = F.scaled_dot_product_attention(heads, heads, heads)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ attends between the heads of each token
            out = mixed.flatten(2)
            out[:, 0].sum().backward()
            """,
        good="""
            heads = x.view(2, 5, 4, 8).transpose(1, 2)
            mixed = F.scaled_dot_product_attention(heads, heads, heads)
            out = mixed.transpose(1, 2).flatten(2)
            out[:, 0].sum().backward()
            """,
        setup="""
            import torch
            import torch.nn.functional as F

            torch.manual_seed(0)
            x = torch.randn(2, 5, 32, requires_grad=True)
            """,
        harm=_sees_no_other,
    ),
]

SILENT = [
    """
    import torch
    import torch.nn.functional as F

    joints = torch.randn(2, 9, 6 * 16).view(2, 9, 6, 16)  # (batch, time, joints, features)
    mixed = F.scaled_dot_product_attention(joints, joints, joints)
    pooled = mixed.mean(2)  # between joints, as is meant
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("scaled_dot_product_attention"):
        query, key = call["query"], call["key"]
        if query is None or key is None or not query.nature == key.nature == "heads":
            continue
        merges = scope.calls_to("flatten", "reshape", "view")
        whole = [m for m in merges if (x := m["input"]) is not None and x.made_only_by() is call]
        if any(m.result_rank == 3 for m in whole):
            yield call.flag(
                "attends between the heads of each token: they would have to come before the tokens",
                because=((query.origins[0], "the heads are split off here"),) if query.origins else (),
            )
