"""A setting of `torch.backends` is given a name that it does not have.

The modules take any attribute: `torch.backends.cuda.allow_tf32 = True` or a name with a letter missing sets something that
nobody reads, and the switch stays where it was. `flags(...)` refuses what it does not know.

Source: https://docs.pytorch.org/docs/stable/backends.html
"""

from collections.abc import Iterator
from difflib import get_close_matches

from torchwise.fixes.edits import FixPlan, replace_with
from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Happening, Reading

CODE, LEVEL, LESSON = "TW912", WARNING, "20-backends/switches#who-computes"
HOME = "torch.backends."
SETTINGS: dict[str, tuple[str, ...]] = {  # compared with torch in tests/rules/test_backend_settings.py
    "cuda": (),
    "cudnn": ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32", "fp32_precision"),
    "mkldnn": ("enabled", "deterministic", "allow_tf32", "fp32_precision"),
    "opt_einsum": ("enabled", "strategy"),
}
ELSEWHERE = {"cuda.allow_tf32": "cuda.matmul.allow_tf32", "cuda.benchmark": "cudnn.benchmark",
             "cuda.deterministic": "cudnn.deterministic"}  # fmt: skip
FLAGS: dict[str, tuple[str, ...]] = {
    "": ("fp32_precision",),
    "cudnn": (*SETTINGS["cudnn"], "depthwise_kernel"),
    "mkldnn": SETTINGS["mkldnn"],
}

EXAMPLES = [
    Example(
        bad="""
            torch.backends.cudnn.determinstic = True
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sets nothing
            switched = torch.backends.cudnn.deterministic
            """,
        good="""
            torch.backends.cudnn.deterministic = True
            switched = torch.backends.cudnn.deterministic
            """,
        setup="import torch\n\ntorch.backends.cudnn.deterministic = False",
        harm=lambda bad, good: not bad["switched"] and good["switched"],
    ),
    Example(
        bad="""
            with torch.backends.cudnn.flags(cudnn_benchmark=True):
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ takes no `cudnn_benchmark`
                print("timed")
            """,
        good="""
            with torch.backends.cudnn.flags(benchmark=True):
                print("timed")
            """,
        setup="import torch",
        harm=TypeError,
    ),
]

SILENT = [
    """
    import torch

    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.conv.fp32_precision = "tf32"
    torch.backends.fp32_precision = "tf32"
    torch.backends.opt_einsum.enabled = False
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for setting in scope.happenings("setting"):
        module, _, name = setting.detail.removeprefix(HOME).rpartition(".")
        known = SETTINGS.get(module)
        if (
            setting.detail.startswith(HOME)
            and known is not None
            and name not in known
            and name != "__class__"
        ):
            yield setting.flag(
                f"sets nothing: `{HOME}{module}` has no `{name}`", fix=_fixed(setting, module, name)
            )
    for call in scope.calls_to(
        "torch.backends.flags", "torch.backends.cudnn.flags", "torch.backends.mkldnn.flags"
    ):
        taken = FLAGS[call.spelling.removeprefix(HOME).rpartition(".")[0]]
        strange = next((o for o in call.operands if o.param not in taken and not o.param.isdigit()), None)
        if strange is not None and call.ref not in scope.guarded:
            yield call.flag(f"takes no `{strange.param}`, and raises", level=ERROR)


def _fixed(setting: Happening, module: str, name: str) -> FixPlan | None:
    near = get_close_matches(name, SETTINGS[module], 1, 0.8)
    right = ELSEWHERE.get(f"{module}.{name}", f"{module}.{near[0]}" if near else "")
    written = f"{HOME}{module}.{name}"
    if not right or not setting.text.startswith(written):
        return None
    text = f"{HOME}{right}{setting.text.removeprefix(written)}"
    return replace_with(setting.at, text, f"Set `{HOME}{right}`", safe=False)
