"""Which scopes are lowered again after an edit: those whose code changed."""

from __future__ import annotations

import time

from torchwise.ir.lower import lower
from torchwise.ir.module import Module
from torchwise.syntax.notebook import Cell
from torchwise.syntax.source import Source

NET = '''"""A net."""
import torch

class Net(nn.Module):
    size = 3

    def __init__(self, width):
        self.fc = nn.Linear(width, 3)

    def forward(self, x):
        hook = lambda y: y + 1
        return self.fc(x)

def train(net, loader):
    for x in loader:
        net(x)

def main():
    def inner():
        return 1
    train(Net(3), [])

main()
'''


def edited(old: str, new: str, text: str = NET) -> tuple[Module, Module]:
    assert old in text
    before = lower(Source.of(text))
    return before, lower(before.source.edited(text.replace(old, new)), before)


def test_without_an_edit_nothing_is_lowered() -> None:
    _, after = edited("x", "x")
    assert not after.lowered


def test_an_edit_in_a_method_lowers_that_method() -> None:
    before, after = edited("return self.fc(x)", "return self.fc(x).relu()")
    assert after.lowered == {"Net.forward", "Net.forward.<lambda>1"}
    for key in after.reused - {"Net"}:
        assert after.scopes[key] is before.scopes[key]
    assert after.scopes["Net"].body is before.scopes["Net"].body


def test_an_edit_in_a_function_lowers_that_function_and_those_inside() -> None:
    _, after = edited("return 1", "return 2")
    assert after.lowered == {"main", "main.inner"}


def test_new_lines_above_leave_functions_alone() -> None:
    before, after = edited("import torch\n", "import torch\nimport numpy\n\n\n")
    assert after.lowered == {"<module>"}
    assert after.scopes["Net"] is before.scopes["Net"]
    assert after.scopes["train"] is before.scopes["train"]
    assert after.offset("train") == before.offset("train") + 3


def test_comments_and_blank_lines_between_definitions_lower_nothing() -> None:
    before, after = edited("\ndef train", "\n# how to train\n\n\ndef train")
    assert not after.lowered
    assert after.scopes["<module>"] == before.scopes["<module>"]


def test_a_new_default_lowers_the_scope_around_too() -> None:
    _, after = edited("def train(net, loader)", "def train(net, loader=None)")
    assert after.lowered == {"train", "<module>"}


def test_a_new_base_lowers_the_class_and_what_is_around_but_no_method() -> None:
    _, after = edited("Net(nn.Module)", "Net(Base)")
    assert after.lowered == {"<module>", "Net"}


def test_a_new_docstring_changes_no_scope() -> None:
    before, after = edited('"""A net."""', '"""Another net."""')
    assert after.scopes == before.scopes
    assert after.scopes["<module>"].doc == "Another net."


def test_a_function_that_moves_keeps_its_scope() -> None:
    train = NET[NET.index("def train") : NET.index("def main")]
    before = lower(Source.of(NET))
    after = lower(before.source.edited(NET.replace(train, "") + "\n" + train), before)
    assert after.scopes["train"] is before.scopes["train"]
    assert after.text("train", 1) == "loader"


def test_the_same_text_read_afresh_reuses_all_scopes() -> None:
    before = lower(Source.of(NET))
    after = lower(Source.of(NET), before)
    assert not after.lowered
    assert all(after.scopes[key] is before.scopes[key] for key in after.scopes)


def test_a_bracket_that_is_being_typed_lowers_nothing_else() -> None:
    _, after = edited("        net(x)", "        net(x")
    assert after.lowered == {"train"}


def test_a_string_that_is_being_typed_lowers_nothing_else() -> None:
    _, after = edited("        net(x)", '        """net(x)')
    assert after.lowered == {"train"}


def test_another_version_of_a_function_before_it_renames_it() -> None:
    _, after = edited("def train(", "def train(): pass\n\ndef train(")
    assert "train@2" in after.lowered


def test_an_edit_in_a_cell_leaves_other_cells_alone() -> None:
    cells = [
        Cell("code", "def f():\n    return 1"),
        Cell("markdown", "# two"),
        Cell("code", "def g():\n    return 2"),
    ]
    before = lower(Source.of_cells(cells))
    changed = [*cells[:2], Cell("code", "%matplotlib inline\ndef g():\n    return 3")]
    after = lower(Source.of_cells(changed, before.source), before)
    assert after.lowered == {"g", "<module>"}
    assert after.scopes["f"] is before.scopes["f"]


def test_mentions_of_a_class_follow_its_methods() -> None:
    before, after = edited("self.fc(x)", "self.fc(y)")
    assert "y" not in before.scopes["Net"].mentions
    assert "y" in after.scopes["Net"].mentions
    assert "y" in after.scopes["<module>"].mentions


def test_a_keystroke_in_a_file_of_ten_thousand_lines_costs_little() -> None:
    text = "".join(NET.replace("Net", f"Net{n}").replace("train", f"train{n}") for n in range(450))
    assert text.count("\n") > 10_000
    before = lower(Source.of(text))
    changed = text.replace("class Net200(nn.Module):\n    size = 3", "class Net200(nn.Module):\n    size = 4")
    times = []
    for _ in range(3):
        started = time.process_time()
        lower(before.source.edited(changed), before)
        times.append(time.process_time() - started)
    assert min(times) < 0.1  # some 10 ms on a slow machine
