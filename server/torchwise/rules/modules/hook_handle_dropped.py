"""A hook is registered and its handle thrown away, in a function that may run again.

Each run adds one more hook and none is ever removed: the hooks run several times over, and what they keep is kept for
good. Keep the handle and call `remove()` on it, or register once, where the model is made.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW412", HINT, "04-neural-networks/modules#hooks"

EXAMPLES = [
    Example(
        bad="""
            def watched(model, x):
                seen = []
                model.register_forward_hook(lambda module, args, out: seen.append(out.detach()))
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the handle is dropped
                model(x)
                return seen

            for _ in range(3):
                watched(layer, torch.ones(1, 2))
            """,
        good="""
            def watched(model, x):
                seen = []
                handle = model.register_forward_hook(lambda module, args, out: seen.append(out.detach()))
                model(x)
                handle.remove()
                return seen

            for _ in range(3):
                watched(layer, torch.ones(1, 2))
            """,
        setup="import torch\nfrom torch import nn\n\nlayer = nn.Linear(2, 2)",
        harm=lambda bad, good: len(bad["layer"]._forward_hooks) == 3 and not good["layer"]._forward_hooks,  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    from torch import nn

    class Watched(nn.Module):
        def __init__(self, model):
            super().__init__()
            model.register_forward_hook(print)  # once, for as long as the model lives
    """,
]
ONCE = ("__init__", "__post_init__", "setup", "build", "main", "__new__", "reset_parameters", "_init", "")


def check(scope: Reading) -> Iterator[Flag]:
    if scope.name in ONCE or scope.name.startswith(("_init", "build", "make", "create", "setup", "test")):
        return
    for call in scope.calls_tagged("hook"):
        if call.spelling.endswith("_forward_hook") and call.discarded:
            yield call.flag(
                "the handle is dropped: every run of this adds one more hook, and none is removed"
            )
