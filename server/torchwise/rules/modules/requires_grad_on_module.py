"""`requires_grad` is set on a module, where it means nothing.

A module has no such attribute, so Python makes one, and every parameter goes on being trained. The method
`requires_grad_(False)` sets it for all parameters inside.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.requires_grad_
"""

from collections.abc import Iterator

from torchwise.fixes.edits import replace_statement
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW407", WARNING, "03-autograd/control#freezing"

EXAMPLES = [
    Example(
        bad="""
            stem.requires_grad = False
            ^^^^^^^^^^^^^^^^^^ freezes nothing
            trained = sum(p.requires_grad for p in stem.parameters())
            """,
        good="""
            stem.requires_grad_(False)
            trained = sum(p.requires_grad for p in stem.parameters())
            """,
        setup="from torch import nn\n\nstem = nn.Sequential(nn.Linear(4, 4), nn.ReLU())",
        harm=lambda bad, good: bad["trained"] == 2 and good["trained"] == 0,
    ),
]

SILENT = [
    """
    from torch import nn

    class Features(nn.Module):
        def __init__(self, requires_grad=False):
            super().__init__()
            self.requires_grad = requires_grad  # an option of its own
            self.filters = nn.Linear(8, 8)
            self.filters.requires_grad_(self.requires_grad)

    features = Features()
    """,
    """
    from torch import nn

    stem = nn.Linear(4, 4)
    for weight in stem.parameters():
        weight.requires_grad = False
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for made in scope.seen("module-attribute-set"):
        if made.detail == "requires_grad" and not made.keeps_option:
            owner, value = made.text.removesuffix(".requires_grad"), scope.text(scope.assigned(made.ref))
            yield made.flag(
                "`requires_grad` of a module is a new attribute that nothing reads: this freezes nothing "
                f"in `{owner}`",
                fix=replace_statement(made.at, f"{owner}.requires_grad_({value})", "Call `requires_grad_`"),
            )
