"""Compiled functions that are given up as a whole: what comes after in them breaks no graph any more.

A graph can end and go on only where the interpreter's stack is plain. Inside a loop, a `try` or a context
manager of the user's own, and at a recurrent layer, Dynamo (of torch 2.13) leaves the whole function to
Python. Functions that it calls are then compiled by themselves.
"""

from __future__ import annotations

from torchwise.flow.definitions import definitions
from torchwise.ir import nodes as ir
from torchwise.rules import structure
from torchwise.rules.rule import Rule
from torchwise.rules.vocabulary import Flag, Reading

RECURRENT = ("torch.nn.LSTM.__call__", "torch.nn.GRU.__call__", "torch.nn.RNN.__call__")
Said = list[tuple[Rule, Flag]]


def without_given_up(reading: Reading, said: Said) -> Said:
    """What rules say of one run, without the breaks that are never reached."""
    breaks = [flag.at.ref for rule, flag in said if _breaks(rule) and flag.at.scope == reading.facts.key]
    if len(breaks) < 2:
        return said
    ending = next((ref for ref in sorted(breaks) if gives_up(reading, ref)), None)
    if ending is None:
        return said
    return [
        (rule, flag)
        for rule, flag in said
        if not (_breaks(rule) and flag.at.scope == reading.facts.key and flag.at.ref > ending)
    ]


def _breaks(rule: Rule) -> bool:
    return rule.name.startswith("graph-break")


def gives_up(reading: Reading, ref: int) -> bool:
    """Whether a break at an instruction leaves its whole function to Python."""
    call = reading.call_made(ref)
    if call is not None and call.spelling in RECURRENT:
        return True
    own = {entered.ref for entered in reading.seen("own-context")}
    for instr in definitions(reading.facts.scope).values():
        match instr:
            case ir.Loop() if ref in structure.inside(instr) and ref != instr.over and not _collects(instr):
                return True
            case ir.Try() if any(ref in structure.inside(one) for one in instr.body):
                return True
            case ir.With() if instr.context in own and any(ref in structure.inside(i) for i in instr.body):
                return True
    return False


def _collects(loop: ir.Loop) -> bool:
    """Whether it is a comprehension, which is a function of its own."""
    return any(isinstance(i, ir.Call) and str(i.callee).startswith("collect.") for i in loop.body)
