"""Branches, loops, exceptions and regions: what is known behind them."""

import pytest

from tests.flow.seen import events, shapes

TORCH = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def test_both_sides_of_a_branch_are_seen() -> None:
    code = """
import torch

def pick(flag: bool):
    x = torch.zeros(2, 3)
    if flag:
        x = torch.zeros(2, 5)
    y = x
    return y
"""
    assert shapes(code)["y"] == "2 ?"


def test_a_condition_asked_twice_goes_the_same_way_twice() -> None:
    code = """
import torch

def pick(flag: bool):
    x = torch.zeros(2, 3)
    if flag:
        x = torch.zeros(2, 5)
    if flag:
        y = x
        return y
"""
    assert shapes(code)["y"] == "2 5"


def test_what_or_gives_is_true_where_its_first_part_is() -> None:
    code = """
import torch

def pick(flag: bool, x: torch.Tensor):
    x = torch.zeros(2, 3)
    if flag or x.shape[0] == 2:
        x = torch.zeros(2, 5)
    y = x
    return y
"""
    assert shapes(code)["y"] == "2 5"


def test_a_tensor_is_none_of_a_union_of_types() -> None:
    code = """
import torch

def pick(x: torch.Tensor):
    x = torch.zeros(2, 3)
    if isinstance(x, list | tuple):
        x = x[0]
    y = x
"""
    assert shapes(code)["y"] == "2 3"


def test_what_another_method_of_a_base_assigns_is_not_as_the_class_says() -> None:
    code = """
import torch
from torch import nn

class Head(nn.Module):
    anchors = torch.empty(0)

    def place(self, sizes):
        self.anchors, self.strides = sizes

class Poses(Head):
    def decode(self):
        y = self.anchors[0]
"""
    assert "y" not in shapes(code) or shapes(code)["y"] == "?"


def test_a_loop_over_known_values_is_unrolled() -> None:
    code = """
import torch

x = torch.zeros(1, 2)
for width in (4, 8, 16):
    x = torch.cat([x, torch.zeros(1, width)], dim=1)
y = x
"""
    assert shapes(code)["y"] == "1 30"


def test_what_a_loop_changes_is_let_go_behind_it() -> None:
    code = """
import torch

def grow(batches):
    x = torch.zeros(1, 2)
    for _ in batches:
        x = torch.cat([x, x], dim=1)
    y = x
    return y
"""
    assert shapes(code)["y"] == "1 ?"


def test_a_list_that_a_comprehension_fills_keeps_its_length() -> None:
    code = """
import torch

parts = [torch.zeros(2, n) for n in (1, 2, 3)]
whole = torch.cat(parts, dim=1)
"""
    assert shapes(code)["whole"] == "2 6"


def test_grad_mode_ends_with_its_block() -> None:
    code = """
import torch

w = torch.ones(3, requires_grad=True)
with torch.no_grad():
    w.mul_(2)
(w * 2).sum().backward()
frozen = w.detach()
frozen.sum().backward()
"""
    assert events(code, "no-graph") == [("no-graph", "frozen.sum().backward()")]


def test_an_exception_may_have_come_before_anything_in_the_try() -> None:
    code = """
import torch

def load(path):
    x = torch.zeros(2, 3)
    try:
        x = torch.zeros(2, 5)
        x = torch.load(path)
    except OSError:
        y = x
        return y
"""
    assert "y" not in shapes(code)


def test_sizes_get_the_names_of_the_users_own_code() -> None:
    code = """
import torch

def split(x: torch.Tensor):
    batch, tokens, dim = x.shape
    y = x.view(batch, tokens, 4, dim // 4).transpose(1, 2)
    return y
"""
    assert shapes(code)["y"] == "batch 4 tokens dim//4"


def test_a_mode_that_is_set_for_a_block_ends_with_it() -> None:
    code = """
import torch

w = torch.ones(3, requires_grad=True)
with torch.set_grad_enabled(False):
    y = w * 2
(w * 2).sum().backward()
y.sum().backward()
"""
    assert events(code, "no-graph") == [("no-graph", "y.sum().backward()")]


def test_a_mode_that_is_set_by_a_statement_stays() -> None:
    code = """
import torch

w = torch.ones(3, requires_grad=True)
torch.set_grad_enabled(False)
(w * 2).sum().backward()
"""
    assert events(code, "no-graph") == [("no-graph", "(w * 2).sum().backward()")]


def test_a_gradient_may_be_none_and_what_follows_is_run() -> None:
    found = shapes("""
    import torch

    weight = torch.zeros(3, requires_grad=True)
    assert weight.grad is None and weight.sum() == 0
    after = torch.zeros(2)
    """)
    assert found["after"] == "2"


@pytest.mark.parametrize(
    "test", ["b.grad is None", "a.grad is not None and b.grad is None", "a.requires_grad and b.grad is None"]
)
def test_a_gradient_may_be_none(test: str) -> None:
    code = (
        "import torch\na = torch.ones(2, requires_grad=True)\nb = torch.ones(2)\n(a * b).sum().backward()\n"
    )
    assert shapes(f"{code}assert {test}\nx = torch.zeros(3)")["x"] == "3"
