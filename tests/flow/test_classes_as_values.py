"""Classes, functions and partials as values: what `isinstance` and `callable` say of them, as Python does."""

from __future__ import annotations

import pytest

from tests.flow.seen import PATH, engine, shapes

SETUP = """
import functools
import types
import torch
from torch import nn

class Mine(nn.Module):
    def method(self):
        return 1

def function(x):
    return x

bound = functools.partial(function, 1)
"""
ASKED = (
    "isinstance(nn.ReLU, type)",
    "isinstance(nn.ReLU, str)",
    "isinstance(nn.ReLU, nn.Module)",
    "isinstance(nn.BatchNorm2d, (str, functools.partial))",
    "isinstance(Mine, type)",
    "isinstance(Mine, nn.Module)",
    "isinstance(Mine, types.FunctionType)",
    "isinstance(function, types.FunctionType)",
    "isinstance(function, type)",
    "isinstance(function, functools.partial)",
    "isinstance(bound, functools.partial)",
    "isinstance(bound, types.FunctionType)",
    "isinstance(torch.float32, torch.dtype)",
    "isinstance(torch.float32, str)",
    "isinstance(torch.device('cpu'), torch.device)",
    "callable(Mine)",
    "callable(bound)",
)


@pytest.mark.parametrize("asked", ASKED)
def test_what_python_says(asked: str) -> None:
    names: dict[str, object] = {}
    exec(f"{SETUP}\nanswer = {asked}", names)
    program = f"{SETUP}\nx = torch.zeros(3) if {asked} else torch.zeros(5)"
    assert shapes(program)["x"] == ("3" if names["answer"] else "5")


DECORATED = """
import torch

{decorator}
def rows(x):
    return x.view(3, -1)

y = rows(torch.zeros(6))
"""


@pytest.mark.parametrize(
    "decorator", ["@torch.fx.wrap", "@torch.jit.script_if_tracing", "@torch.compiler.assume_constant_result"]
)
def test_decorators_that_leave_a_function_as_it_is(decorator: str) -> None:
    assert shapes(DECORATED.format(decorator=decorator))["y"] == "3 2"


def test_a_function_that_a_package_binds_hides_the_module_of_its_name() -> None:
    made = engine("import torch\nfrom kit import halved\ny = halved(torch.zeros(6))\n")
    made.set_text("/project/kit/__init__.py", "from .halved import halved\n")
    made.set_text("/project/kit/halved.py", "def halved(x):\n    return x[:3]\n")
    assert [row.shape for row in made.shapes(PATH)] == [(3,)]


def test_a_module_that_nothing_hides() -> None:
    made = engine("import torch\nfrom kit import halved\ny = halved.of(torch.zeros(6))\n")
    made.set_text("/project/kit/__init__.py", "")
    made.set_text("/project/kit/halved.py", "def of(x):\n    return x[:3]\n")
    assert [row.shape for row in made.shapes(PATH)] == [(3,)]
