"""Which scopes are run again after an edit. Each test says exactly which."""

from __future__ import annotations

from random import Random

import pytest

from torchwise.engine import Engine

PATH = "/project/model.py"

BEFORE = """
import torch
from torch import nn

head = nn.Linear(784, 10)

def features(x: torch.Tensor):
    return x.relu()

def scores(x: torch.Tensor):
    return head(features(x))

def unrelated(a: torch.Tensor, b: torch.Tensor):
    return a @ b
"""


def rerun(after: str, before: str = BEFORE) -> list[str]:
    engine = Engine()
    engine.set_text(PATH, before)
    engine.findings(PATH)
    engine.set_text(PATH, after)
    engine.findings(PATH)
    assert engine.crashes == []
    return sorted(key.partition("::")[2] for key in engine.memo.interpreted)


def test_a_blank_line_above_reruns_nothing() -> None:
    assert rerun("\n\n# a remark\n" + BEFORE) == []


def test_editing_a_body_reruns_that_body() -> None:
    assert rerun(BEFORE.replace("return a @ b", "return a.matmul(b)")) == ["unrelated"]


def test_a_new_body_with_the_same_summary_does_not_rerun_callers() -> None:
    assert rerun(BEFORE.replace("return a @ b", "y = a\n    return y @ b")) == ["unrelated"]


def test_a_new_summary_reruns_callers() -> None:
    after = BEFORE.replace("return x.relu()", "return x.sum()")
    assert set(rerun(after)) == {"features", "scores"}


def test_a_new_global_reruns_its_readers() -> None:
    after = BEFORE.replace("Linear(784, 10)", "Linear(512, 10)")
    assert rerun(after) == ["<module>", "scores"]


def test_a_registry_is_asked_once_for_all_that_it_decorates() -> None:
    head = "import torch\n\ndef registered(f):\n    f.__name__.upper()\n    return f\n"
    body = "@registered\ndef f{n}(x):\n    return x.view({n})\n"
    calls = "f3(torch.ones(3))\nf5(torch.ones(3))\n"
    engine = Engine()
    engine.set_text(PATH, "\n".join([head, *(body.format(n=n) for n in range(2, 20)), calls]))
    assert [f.message.partition(" where")[0] for f in engine.findings(PATH)] == ["`5` is 5"]
    assert sum(key.endswith("::registered") for key in engine.memo.interpreted) == 1


def long_file(functions: int) -> str:
    """A file of `functions` small models and training functions, some 20 lines each."""
    parts = ["import torch", "from torch import nn", "import torch.nn.functional as F", ""]
    for n in range(functions):
        parts.append(f"""
class Model{n}(nn.Module):
    def __init__(self, width: int = {n + 8}):
        super().__init__()
        self.first = nn.Linear(16, width)
        self.second = nn.Linear(width, 4)

    def forward(self, x):
        hidden = F.relu(self.first(x))
        return self.second(hidden)


def train{n}(loader):
    model = Model{n}()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch, target in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(batch), target)
        loss.backward()
        optimizer.step()
""")
    return "\n".join(parts)


def test_an_edit_in_a_file_of_2000_lines_reruns_one_scope() -> None:
    before = long_file(98)
    assert before.count("\n") > 2_000
    after = before.replace(
        "loss = F.mse_loss(model(batch), target)\n", "loss = F.l1_loss(model(batch), target)\n", 1
    )
    assert rerun(after, before) == ["train0"]


BODIES = (
    "return x.relu()",
    "return f{k}(x)",
    "return x @ w",
    "return head(f{k}(x))",
    "return w",
    "y = f{k}(w)\n    return y @ x",
    "return f{k}(",
    "for _ in range(3):\n        x = f{k}(x)\n    return x",
    "if w is None:\n        return f{k}(x)\n    return x.view(-1)",
    "with torch.no_grad():\n        return f{k}(x) + 1",
    "model = Net{k}()\n    return model(x)",
)
HEADS = ("head = nn.Linear(784, 10)", "head = nn.Linear(512, 10)", "head = f{k}(head)", "head = Net{k}()")


def _function(random: Random, n: int) -> str:
    body = random.choice(BODIES).format(k=random.randrange(6))
    return f"def f{n}(x: torch.Tensor, w: torch.Tensor = None):\n    {body}\n"


def _class(random: Random, n: int) -> str:
    k = random.randrange(6)
    inner = random.choice(("self.inner(x)", f"f{k}(x)", "x.t().view(-1)", f"f{k}(self.inner(x))"))
    return (
        f"class Net{n}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.inner = nn.Linear({random.choice((784, 512))}, 10)\n\n"
        f"    def forward(self, x):\n        return {inner}\n"
    )


@pytest.mark.parametrize("seed", range(200))
def test_warm_is_cold(seed: int) -> None:
    """After any edits, in any order, a warm engine says what a fresh one says."""
    random = Random(seed)
    parts = [_function(random, n) for n in range(6)] + [_class(random, n) for n in range(6)]
    parts += [random.choice(HEADS).format(k=random.randrange(6)) + "\n"]
    warm = Engine()
    for _ in range(6):
        n = random.randrange(13)
        parts[n] = (
            _function(random, n) if n < 6 else _class(random, n - 6) if n < 12
            else random.choice(HEADS).format(k=random.randrange(6)) + "\n"
        )  # fmt: skip
        text = "import torch\nfrom torch import nn\n" + "\n".join(random.sample(parts, len(parts)))
        cold = Engine()
        cold.set_text(PATH, text)
        warm.set_text(PATH, text)
        if random.random() < 0.3:
            continue  # two edits between two questions
        if random.random() < 0.5:
            warm.hints(PATH)  # the order of asking must not matter
        assert warm.findings(PATH) == cold.findings(PATH)
        assert warm.shapes(PATH) == cold.shapes(PATH)
        assert warm.crashes == cold.crashes == []


ODD = """
from torch import nn

class Warm(nn.Module):
     def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        _ = self.out(x)
"""


def test_what_was_cut_short_in_a_circle_is_not_remembered() -> None:
    """`__init__` asks what an instance is while it runs itself: that answer is no one else's."""
    warm, cold = Engine(), Engine()
    warm.set_text(PATH, ODD.replace("class Warm", "if x:\n    \n    class Warm"))
    warm.findings(PATH)
    for engine in (warm, cold):
        engine.set_text(PATH, ODD)
    assert warm.findings(PATH) == cold.findings(PATH)
    assert [row.name for row in warm.shapes(PATH)] == [row.name for row in cold.shapes(PATH)] == ["_"]
