"""What the interpreter takes for granted of every row."""

import pytest

from torchwise.domain.value import ANY
from torchwise.ops import OPS, Given
from torchwise.ops.spec import Outcome

ROWS = sorted({id(op): op for op in OPS.values()}.values(), key=lambda op: op.spellings)


def test_an_attribute_is_read_off_itself():
    assert [op.name for op in ROWS if "attribute" in op.tags and op.params != ("self",)] == []


def test_what_a_row_names_is_among_its_parameters():
    for op in ROWS:
        named = {op.view, op.inplace} - {None}
        assert named <= set(op.params), op.spellings


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.spellings[0])
def test_a_row_answers_when_nothing_is_known(op):
    """A call with unknown arguments, and one without any, breaks nothing and never raises."""
    found = op.returns(Given(dict.fromkeys(op.params, ANY), {}))
    if op.spellings[0] != "torch.autograd.Function.__call__":  # no call of it works
        assert not isinstance(found, Outcome) or not found.broken
    op.returns(Given({}, {}))
