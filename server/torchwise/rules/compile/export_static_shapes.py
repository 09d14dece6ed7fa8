"""A model is exported without `dynamic_shapes`.

Every size of the example inputs is then a constant of the program: it takes this batch size, and no other.

Source: https://docs.pytorch.org/docs/stable/export.html#expressing-dynamism
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW508", HINT, "11-export/export#sizes"

EXAMPLES = [
    Example(
        bad="""
            program = torch.export.export(model, (torch.ones(2, 3),)).module()
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the example's sizes
            out = program(torch.ones(4, 3))
            """,
        good="""
            rows = torch.export.Dim("rows")
            program = torch.export.export(model, (torch.ones(2, 3),), dynamic_shapes=({0: rows},)).module()
            out = program(torch.ones(4, 3))
            """,
        setup="import torch\nfrom torch import nn\n\nmodel = nn.Linear(3, 1)",
        harm=AssertionError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    options = {"dynamic_shapes": ({0: torch.export.Dim("rows")},)}
    program = torch.export.export(nn.Linear(3, 1), (torch.ones(2, 3),), **options)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("export"):
        if (
            call.part == ""
            and "dynamic_shapes" not in call
            and not call.open
            and call.spelling.startswith("torch.export.")
        ):
            yield call.flag(
                "without `dynamic_shapes` the program takes the example's sizes and no other batch size"
            )
