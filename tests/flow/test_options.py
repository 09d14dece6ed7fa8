"""Values that programs are configured with: fields of dataclasses, options of the command line."""

from __future__ import annotations

from tests.flow.seen import shapes

FIELDS = """
    from dataclasses import dataclass, field
    import torch

    @dataclass
    class Sizes:
        dim: int = 4

    @dataclass
    class Settings(Sizes):
        steps: list = field(default_factory=lambda: [1, 0, 2])
        heads: int = 2
        seen: list = field(default_factory=list)

        def __post_init__(self):
            self.head_dim = self.dim // self.heads
"""


def test_a_factory_makes_the_default_of_each_instance() -> None:
    found = shapes(
        FIELDS
        + """
    one, other = Settings(), Settings()
    one.seen.append(3)
    start, many, none = torch.tensor(one.steps), torch.zeros(len(one.seen)), torch.zeros(len(other.seen))
    """
    )
    assert (found["start"], found["many"], found["none"]) == ("3", "1", "0")


def test_fields_of_a_base_come_first_and_post_init_is_run() -> None:
    found = shapes(
        FIELDS
        + """
    settings = Settings(8)
    rows = torch.zeros(settings.dim, settings.head_dim)
    """
    )
    assert found["rows"] == "8 4"


OPTIONS = """
    import argparse
    import torch
    from torch import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("-b", "--batch-size", type=int, default=8)
    parser.add_argument("--limit", type=int)
    args = parser.parse_args()
"""


def test_a_whole_number_of_the_command_line_is_one_size_everywhere() -> None:
    found = shapes(
        OPTIONS
        + """
    rows = torch.zeros(args.batch_size, args.hidden)
    same = rows.t() @ torch.zeros(args.batch_size, 5)
    split = torch.zeros(6, args.hidden * 2).view(6, 2, args.hidden)
    """
    )
    assert (found["rows"], found["same"], found["split"]) == ("? ?", "? 5", "6 2 ?")


def test_an_option_without_a_default_may_be_none() -> None:
    found = shapes(
        OPTIONS
        + """
    rows = torch.zeros(3, 4) if args.limit is None else torch.zeros(5, 4)
    """
    )
    assert found["rows"] == "? 4"


def test_an_empty_list_of_arguments_leaves_all_defaults() -> None:
    code = """
import argparse
import torch

def options(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--dtype", default="float16")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--path")
    return parser.parse_args(argv)

none, asked = options([]), options()
rows = torch.zeros(none.width, 3 if none.wide else 4, 5 if none.path is None else 6)
others = torch.zeros(asked.width, 3 if asked.wide else 4)
"""
    found = shapes(code)
    assert found["rows"] == "24 4 5"
    assert found["others"] == "? ?"
