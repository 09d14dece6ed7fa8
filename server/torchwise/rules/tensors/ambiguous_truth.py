"""A tensor of several elements is used as if it were true or false.

`if mask:`, `while`, `and`, `or`, `not` and `bool(...)` work for one element only and raise otherwise. Say
`.any()` or `.all()`; to ask whether
something was passed at all, compare with None: `weight or torch.ones(n)` raises as soon as there is a weight.

Source: https://docs.pytorch.org/docs/stable/generated/torch.any.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW325", ERROR, "02-tensors/operations#element-by-element"

EXAMPLES = [
    Example(
        bad="""
            if losses > 1:
               ^^^^^^^^^^ has 4 elements
                print("large")
            """,
        good="""
            if (losses > 1).any():
                print("large")
            """,
        setup="""
            import torch

            losses = torch.rand(4)
            """,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            def weighted(losses, batch):
                weight = batch.get("weight") or torch.ones_like(losses)
                         ^^^^^^^^^^^^^^^^^^^ asks what is given for its truth
                return (losses * weight).mean()

            weighted(torch.rand(4), loaded())
            """,
        good="""
            def weighted(losses, batch):
                weight = batch.get("weight")
                weight = torch.ones_like(losses) if weight is None else weight
                return (losses * weight).mean()

            weighted(torch.rand(4), loaded())
            """,
        setup="""
            import pickle

            import torch

            def loaded():
                return pickle.loads(pickle.dumps({"weight": torch.rand(4)}))
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def clip(norm, limit):
        if norm > limit:  # may be one number
            return limit
        return norm

    def scaled(x, options):
        return x * (options.get("scale") or torch.tensor(2.0))  # one number

    total = torch.rand(4).sum()
    if total > 1:  # one element
        print(total)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for test in scope.seen("branch-on-tensor", "assert-on-tensor"):
        count = test.elements
        if count and test.ref not in scope.guarded:
            yield test.flag(
                f"has {count} elements: as a condition it is ambiguous; `.any()`, `.all()` or `is not "
                "None` may be meant"
            )
    for test in scope.seen("default-by-truth"):
        made = [scope.call_at(site) for site in test.because]
        several = test.elements or any(call is not None and call.op.endswith("_like") for call in made)
        if several and test.may_be_left_out and test.ref not in scope.guarded:
            yield test.flag(
                "asks what is given for its truth, which a tensor of several elements has not: ask `is None`",
                level=WARNING,
            )
    for call in scope.calls_that_break("one-element"):
        for broken in call.breaks("one-element"):
            if call.op not in ("backward", "grad"):
                source = call[broken.param] or (call.operands[0] if call.operands else None)
                name = source.quoted if source is not None else "this tensor"
                yield call.flag(f"{name} has {broken.got} elements: only one element makes a number")
                break
