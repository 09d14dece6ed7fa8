"""A long chain of calls through files, with nested statements in each, is followed without a fault."""

from __future__ import annotations

import pytest

from torchwise.engine import Engine

DEEP = """
class Step{number}:
    def go(self, x):
        return [y for y in [{inner}]][0] if True else x

def step{number}(x):
    for k in range(2):
        if x.mean() > {number}:
            for j in range(3):
                while x.sum() < j:
                    try:
                        with open("a") as stream:
                            if x.max() > 2:
                                return [Step{number}().go(x) for _ in range(2)]
                    finally:
                        print(1)
    return Step{number}().go(x)
"""


@pytest.mark.parametrize("length", [5, 60, 150])
def test_a_long_chain_of_calls_is_no_fault(length: int) -> None:
    engine = Engine()
    engine.set_text("/project/chain/__init__.py", "")
    for number in range(length):
        last = number == length - 1
        following = "import torch" if last else f"from chain.m{number + 1} import step{number + 1}"
        inner = "x.view(7)" if last else f"step{number + 1}(x)"
        text = following + DEEP.format(number=number, inner=inner)
        engine.set_text(f"/project/chain/m{number}.py", text)
    engine.set_text("/project/main.py", "import torch\nfrom chain.m0 import step0\nstep0(torch.zeros(3))\n")
    found = [f.name for number in range(length) for f in engine.findings(f"/project/chain/m{number}.py")]
    assert engine.crashes == []
    assert found == (["shape-mismatch"] if length == 5 else [])
