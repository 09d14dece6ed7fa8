"""What a parameter is that nobody passes."""

from tests.flow.seen import PATH, engine, shapes


def test_an_annotation_of_jaxtyping_names_the_sizes() -> None:
    code = """
import torch
from jaxtyping import Float, Int64
from torch import Tensor

def attend(q: Float[Tensor, "b t d"], k: Float[Tensor, "b s d"], ids: Int64[Tensor, "b 7"]):
    scores = q @ k.transpose(1, 2)
    first = ids[:, 0]
    return scores, first
"""
    found = shapes(code)
    assert (found["scores"], found["first"]) == ("b t s", "b")


def test_what_an_annotation_promises_is_checked() -> None:
    code = """
from jaxtyping import Float
from torch import Tensor

def join(a: Float[Tensor, "b 3"], b: Float[Tensor, "b 4"]):
    return a + b
"""
    assert [f.code for f in engine(code).findings(PATH)] == ["TW302"]


def test_axes_of_any_number_promise_nothing() -> None:
    code = """
from jaxtyping import Float
from torch import Tensor

def last(x: Float[Tensor, "*batch 3"]):
    y = x[..., 0]
    return y
"""
    assert shapes(code).get("y", "?") == "?"
