"""A function that is run by `vmap` does what cannot be done for a whole batch at once.

`vmap` calls the function one time, with tensors that stand for all examples. So there is no value to read or to branch on, a tensor
for one example has no room for the results of all, and random numbers would have to be drawn once for all or once for each:
`randomness="same"` or `"different"` says which. Each of these raises.

Source: https://docs.pytorch.org/docs/stable/func.ux_limitations.html#vmap-limitations
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Call, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW915", ERROR, "13-advanced/functions#functions-of-functions"
READERS = ("Tensor.item", "Tensor.tolist", "Tensor.numpy", "builtins.float", "builtins.int", "builtins.bool")
MAKERS = ("zeros", "ones", "empty", "full")
SETUP = """
    import torch

    rows = torch.ones(4, 3)
    """

EXAMPLES = [
    Example(
        bad="""
            def step(row):
                if row.sum() > 0:
                   ^^^^^^^^^^^^^ is another for each example
                    return row
                return -row

            out = torch.vmap(step)(rows)
            """,
        good="""
            def step(row):
                return torch.where(row.sum() > 0, row, -row)

            out = torch.vmap(step)(rows)
            """,
        setup=SETUP,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            def noisy(row):
                return row + torch.randn(3)
                             ^^^^^^^^^^^^^^ draws random numbers

            out = torch.vmap(noisy)(rows)
            """,
        good="""
            def noisy(row):
                return row + torch.randn(3)

            out = torch.vmap(noisy, randomness="different")(rows)
            """,
        setup=SETUP,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            def padded(row):
                wide = torch.zeros(5)
                wide[:3] = row
                ^^^^^^^^ has room for one example
                return wide

            out = torch.vmap(padded)(rows)
            """,
        good="""
            def padded(row):
                wide = row.new_zeros(5)
                wide[:3] = row
                return wide

            out = torch.vmap(padded)(rows)
            """,
        setup=SETUP,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def scaled(row, scale):
        return row * scale.item()  # the same for all

    out = torch.vmap(scaled, in_dims=(0, None))(torch.ones(4, 3), torch.tensor(2.0))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_under("vmap"):
        if said := _said(call):
            yield call.flag(said)
    for branch in scope.seen("branch-on-tensor"):
        if branch.nature == "batched":
            yield branch.flag(
                "is another for each example: vmap cannot branch on it, `torch.where` takes both sides"
            )


def _said(call: Call) -> str:
    torch_draws = call.tagged("random") and call.spelling.startswith(("torch.", "Tensor."))
    if torch_draws and call.under("vmap", "error"):
        return "draws random numbers: vmap raises unless `randomness` says once for all or for each example"
    if call.spelling in READERS and any(o.nature == "batched" for o in call.operands):
        return "reads one number where vmap computes all examples at once"
    target = call.written
    made = target.made_only_by(*MAKERS) if target is not None and target.nature != "batched" else None
    if made is not None and any(o.nature == "batched" for o in call.operands):
        return f"has room for one example: `new_{made.op}` of an argument makes room for all"
    return ""
