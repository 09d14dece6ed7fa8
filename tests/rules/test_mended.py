"""What fixes make of programs that are written in other ways than the examples of the rules."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.rules.examples import PATH, clean
from torchwise.engine import Engine
from torchwise.fixes.apply import edited

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"


def mended(rule: str, code: str) -> str | None:
    """The code with the one fix of the rule applied; None where what it finds has none."""
    engine = Engine()
    text = HEAD + clean(code)
    engine.set_text(PATH, text)
    found = [f for f in engine.findings(PATH) if f.name == rule]
    assert found, "nothing is found"
    if found[0].fix is None:
        return None
    after = edited(text, found[0].fix.edits)
    compile(after, PATH, "exec")
    engine.set_text(PATH, after)
    left = [f for f in engine.findings(PATH) if f.name == rule]
    assert len(left) < len(found), after
    return after.removeprefix(HEAD)


INPLACE = [
    ("gate.mul_(2)", "gate = gate.mul(2)"),
    ("gate *= 2 + 1  # twice and more", "gate = gate * (2 + 1)  # twice and more"),
    ("gate += 2 * 1", "gate = gate + 2 * 1"),
    ("gate = F.hardtanh(gate, inplace=True)", "gate = F.hardtanh(gate)"),
    ("gate[0] = 0  # the first", "gate = gate.clone()\ngate[0] = 0  # the first"),
    ("gate[:2] *= 3", "gate = gate.clone()\ngate[:2] *= 3"),
    ("gate.add_(\n    1,\n    alpha=2,  # twice\n)", "gate = gate.add(\n    1,\n    alpha=2,  # twice\n)"),
]


@pytest.mark.parametrize(("before", "after"), INPLACE, ids=[before for before, _ in INPLACE])
def test_what_is_changed_in_place_is_made_anew(before: str, after: str) -> None:
    program = (
        "scores = torch.randn(4, requires_grad=True)\ngate = scores.sigmoid()\n{}\ngate.sum().backward()\n"
    )
    assert mended("inplace-breaks-backward", program.format(before)) == program.format(after)
    exec(HEAD + program.format(after), {})


def test_a_variable_of_somebody_else_is_not_bound_anew() -> None:
    code = """
        gate = torch.randn(4, requires_grad=True).sigmoid()

        def open_wide():
            gate.mul_(2)

        open_wide()
        gate.sum().backward()
        """
    assert mended("inplace-breaks-backward", code) is None


def test_a_print_that_is_all_of_its_block_leaves_a_pass() -> None:
    code = """
        @torch.compile
        def doubled(x, loud=True):
            if loud:
                print(x)  # everything
            return 2 * x

        doubled(torch.ones(2))
        """
    after = mended("graph-break-print", code)
    assert after is not None and "    if loud:\n        pass  # everything\n    return" in after


SCALARS = [
    (
        "spread = x.std().item()\n    return x / max(spread, 1e-3)",
        "spread = x.std()\n    return x / max(spread, 1e-3)",
    ),
    ("return x - float(x.mean() + 1)", "return x - (x.mean() + 1)"),
    ("n = x.sum().item()\n    return x[:n]", None),
    ("n = x.sum().item()\n    return x * n, n", None),
]


@pytest.mark.parametrize(("before", "after"), SCALARS, ids=range(len(SCALARS)))
def test_a_number_that_is_only_computed_with_stays_a_tensor(before: str, after: str | None) -> None:
    program = "@torch.compile\ndef scaled(x):\n    {}\n\nscaled(torch.ones(3))\n"
    expected = program.format(after) if after is not None else None
    assert mended("graph-break-scalar", program.format(before)) == expected


BRANCHES = [
    (
        "if x.sum() > 0:  # mostly\n        return x\n    else:\n        # seldom\n        return -x",
        "# mostly\n    # seldom\n    return torch.where(x.sum() > 0, x, -x)",
    ),
    (
        "if x.sum() > 0:\n        y = x\n    else:\n        y = -x\n    return y",
        "y = torch.where(x.sum() > 0, x, -x)\n    return y",
    ),
    ("if x.sum() > 0:\n        return x\n    y = x + 1\n    return y", None),
    ("if x.sum() > 0:\n        return x, x\n    return x, -x", None),
    ("if x.sum() > 0:\n        return x\n    return x.sum()", None),
]


@pytest.mark.parametrize(("before", "after"), BRANCHES, ids=range(len(BRANCHES)))
def test_both_sides_are_computed_where_they_are_tensors_alike(before: str, after: str | None) -> None:
    program = "@torch.compile\ndef chosen(x):\n    {}\n\nchosen(torch.ones(3))\n"
    expected = program.format(after) if after is not None else None
    assert mended("graph-break-control-flow", program.format(before)) == expected


def test_gradients_that_are_gathered_are_cleared_after_the_step() -> None:
    code = """
        def fit(model, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for number, (x, y) in enumerate(loader):
                (F.mse_loss(model(x), y) / 4).backward()
                if (number + 1) % 4 == 0:
                    optimizer.step()  # of four batches

        fit(nn.Linear(2, 1), [(torch.ones(3, 2), torch.ones(3, 1))] * 8)
        """
    after = mended("missing-zero-grad", code)
    step = "            optimizer.step()  # of four batches\n            optimizer.zero_grad()\n"
    assert after is not None and step in after


TRAINING = """
class Net(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(2, 8), nn.Dropout(0.5), nn.Linear(8, 1))

def evaluated(model, batch):
    with torch.no_grad():
        return model(batch).mean().item()

def epoch(model, batches, optimizer):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).pow(2).mean().backward()
        optimizer.step()

def fit(model, batches, folds=2):
    for fold in range(folds):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            epoch(model, batches, optimizer)
            model.eval()
            print(evaluated(model, batches[0]))

fit(Net(), [torch.ones(4, 2)] * 2)
"""


def test_train_mode_is_set_in_the_loop_that_evaluates() -> None:
    after = mended("train-mode-not-restored", TRAINING)
    assert after == clean(TRAINING).replace("range(3):\n", "range(3):\n            model.train()\n")


SOFTMAX = """
def loss_of(scores, target):
    {}

loss_of(torch.randn(4, 3), torch.zeros(4, dtype=torch.long))
"""
LOSSES = [
    ("return F.cross_entropy(F.softmax(scores, dim=1), target)", "return F.cross_entropy(scores, target)"),
    (
        "return F.cross_entropy((2 * scores).softmax(-1), target)",
        "return F.cross_entropy(2 * scores, target)",
    ),
    (
        "p = torch.softmax(scores, 1)  # chances\n    return F.cross_entropy(p, target)",
        "return F.cross_entropy(scores, target)",
    ),
    (
        "p = torch.softmax(scores + 1, 1)\n    return F.cross_entropy(p, target)",
        "p = scores + 1\n    return F.cross_entropy(p, target)",
    ),
    (
        "p = torch.softmax(scores, 1)\n    return F.cross_entropy(p, target), p",
        "p = torch.softmax(scores, 1)\n    return F.cross_entropy(scores, target), p",
    ),
    (
        "p = torch.softmax(scores + 1, 1)\n    return F.cross_entropy(p, target) + p.max()",
        None,
    ),
]


@pytest.mark.parametrize(("before", "after"), LOSSES, ids=range(len(LOSSES)))
def test_the_loss_gets_what_softmax_was_made_of(before: str, after: str | None) -> None:
    expected = clean(SOFTMAX.format(after)) if after is not None else None
    assert mended("softmax-before-cross-entropy", SOFTMAX.format(before)) == expected


def test_softmax_is_taken_from_the_end_of_the_model() -> None:
    code = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(4, 3)

            def forward(self, x):
                return F.softmax(self.head(x), dim=1)  # chances

        loss = F.cross_entropy(Net()(torch.ones(2, 4)), torch.zeros(2, dtype=torch.long))
        """
    after = mended("softmax-before-cross-entropy", code)
    assert after == clean(code).replace("F.softmax(self.head(x), dim=1)", "self.head(x)")


def test_a_size_that_was_handed_over_is_not_replaced() -> None:
    code = """
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.head = nn.Linear(width, 3)

            def forward(self, x):
                return self.head(x)

        Net(8)(torch.ones(2, 4))
        """
    assert mended("feature-mismatch", code) is None
    plain = dedent(code).replace("nn.Linear(width, 3)", "nn.Linear(8, 3)")
    after = mended("feature-mismatch", plain)
    assert after is not None and "nn.Linear(4, 3)" in after


LEAVING = """
def step(head, batches):
    for batch in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            # of the batch
            loss = head(batch).mean()
            # and back
            loss.backward()  # here
            print(
                loss.item(),
            )

step(nn.Linear(2, 1), [torch.ones(3, 2)])
"""
LEFT = """
def step(head, batches):
    for batch in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            # of the batch
            loss = head(batch).mean()
        # and back
        loss.backward()  # here
        print(
            loss.item(),
        )

step(nn.Linear(2, 1), [torch.ones(3, 2)])
"""


def test_the_block_ends_before_the_backward() -> None:
    after = mended("backward-in-autocast", LEAVING)
    assert after is not None
    assert [line.split() for line in after.splitlines()] == [
        line.split() for line in LEFT.strip().splitlines()
    ]
    assert "\n        loss.backward()  # here\n" in after
