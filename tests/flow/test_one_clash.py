"""What fails because something has failed before is not told again."""

from __future__ import annotations

from tests.flow.seen import PATH, engine


def test_a_wrong_dtype_is_told_where_it_raises_first() -> None:
    code = """
import torch
from torch import nn

mix, norm, head = nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 2)
h = torch.zeros(3, 4, dtype=torch.float64)
h = norm(h + mix(h))
scores = head(h)
other = head(torch.zeros(3, 4, dtype=torch.float64))
"""
    found = engine(code).findings(PATH)
    assert [f.name for f in found] == ["dtype-mismatch"] * 2
    assert [f.at.span.row for f in found] == [7, 9]
