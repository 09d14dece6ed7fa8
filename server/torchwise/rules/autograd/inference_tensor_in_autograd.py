"""A tensor that was made under `inference_mode` is used where autograd has to keep it.

Inference tensors carry no version counter, so they cannot be saved for backward: `head(features)` with a
trainable head raises. Use
`torch.no_grad()` for what is trained upon later, or `clone()` the features outside.

Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW208", ERROR, "03-autograd/control#inference-mode"

EXAMPLES = [
    Example(
        bad="""
            with torch.inference_mode():
                features = backbone(images)
            scores = head(features)
                     ^^^^^^^^^^^^^^ was made under `inference_mode`
            """,
        good="""
            with torch.no_grad():
                features = backbone(images)
            scores = head(features)
            """,
        setup="""
            import torch
            from torch import nn

            backbone, head = nn.Linear(8, 4), nn.Linear(4, 2)
            images = torch.randn(3, 8)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    backbone, head = nn.Linear(8, 4), nn.Linear(4, 2)
    with torch.inference_mode():
        features = backbone(torch.randn(3, 8))
    scores = head(features.clone())  # the clone is an ordinary tensor
    """,
    """
    import torch
    from torch import nn

    backbone, head = nn.Linear(8, 4), nn.Linear(4, 2)
    with torch.inference_mode():
        scores = head(backbone(torch.randn(3, 8)))  # nothing is recorded
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for use in scope.happenings("inference-saved"):
        if use.ref in scope.guarded:
            continue
        made = use.because[:1]
        shown = scope.text_at(made[0]) if made else ""
        name = f"`{shown}`" if 0 < len(shown) < 60 else "what it is given"
        yield use.flag(
            f"{name} was made under `inference_mode`: autograd cannot keep it for backward",
            tuple((site, "made here") for site in made),
        )
