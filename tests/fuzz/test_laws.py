"""The laws of the fuzzers, against a few programs and talks each; `make fuzz` tries far more."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import fuzz
from fuzz.choices import Bytes, Drawn
from fuzz.laws import LAWS, findings_hold, fixes_hold
from fuzz.mirror import Mirror

QUIET = list(HealthCheck)
SINGLE = sorted(LAWS.keys() - {"all"})


@pytest.mark.parametrize("law", SINGLE)
def test_a_law_holds_for_what_hypothesis_draws(law: str) -> None:
    @settings(max_examples=60, derandomize=True, phases=[Phase.generate], suppress_health_check=QUIET)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        LAWS[law](Drawn(data))

    holds()


@pytest.mark.parametrize("law", SINGLE)
def test_bytes_decide_too(law: str) -> None:
    for given_bytes in (b"", b"\xff" * 400, bytes(range(256)) * 2):
        LAWS[law](Bytes(given_bytes))


def test_the_laws_hold_for_what_led_to_new_places_before() -> None:
    kept = sorted((Path(fuzz.__file__).parent / "corpus" / "all").iterdir())
    assert len(kept) >= 50
    for path in kept:
        LAWS["all"](Bytes(path.read_bytes()))


# Found by the fuzzers, and mended.

FIXED_TWENTY_TIMES = (
    """
from torch.utils.checkpoint import checkpoint
from timm import stem

def features(images):
    return checkpoint(stem, images)
""",
    """
import torch

weight = torch.ones(3, requires_grad=True)
(weight * 2).sum().backward()

with torch.:=no_grad():
    weight -= 0.1 * weight.grad
""",
)


@pytest.mark.parametrize("text", FIXED_TWENTY_TIMES)
def test_a_fix_that_mends_nothing_is_not_made_again_and_again(text: str) -> None:
    fixes_hold(text, unsafe=True)


COMPILED = """
@torch.compile(backend="eager")
def centred(x):
    middle = x.mean().item()
    return x - middle
"""


@pytest.mark.parametrize(
    "after", ["", "\ncentred(torch.ones(3))\n", "\ndef f():\n    centred(torch.ones(3))\n"]
)
def test_where_a_function_is_compiled_moves_with_its_decorator(after: str) -> None:
    findings_hold([f"import torch\n{COMPILED}{after}", f"import torch\nimport torch\n{COMPILED}{after}"])


BODY = "    def __init__(self):\n        self.kept = False"


def test_a_class_that_is_only_begun_is_not_taken_for_the_one_that_stood_there() -> None:
    whole = f"class Kept:\n{BODY}\n"
    findings_hold([whole + whole, f"class Kept:\n    def __init__(self):\n{BODY}\nclass Kept:"])


@pytest.mark.parametrize("text", ["", "\r", "x = '\ud800'", "\ufeffx = 1", "x\0= 1\n", "def f(\n" * 50])
def test_odd_texts(text: str) -> None:
    findings_hold([text, text + "\n", text[:-1]])


# The judge of the texts must be right itself.


@pytest.mark.parametrize(
    ("start", "end", "new", "after"),
    [
        ((0, 0), (0, 1), "y", "y = '🍎'\r\nz"),
        ((0, 5), (0, 7), "", "x = ''\r\nz"),
        ((0, 99), (1, 0), "", "x = '🍎'z"),
        ((9, 0), (9, 9), "!", "x = '🍎'\r\nz!"),
    ],
)
def test_the_mirror_edits_as_the_protocol_says(
    start: tuple[int, int], end: tuple[int, int], new: str, after: str
) -> None:
    mirror = Mirror("x = '🍎'\r\nz")
    mirror.edit(start, end, new)
    assert (mirror.text, mirror.sure) == (after, True)


def test_the_mirror_is_not_sure_of_half_a_character() -> None:
    mirror = Mirror("🍎")
    mirror.edit((0, 1), (0, 1), "x")
    assert not mirror.sure
