"""The words that rules are written in. A rule imports from here, from `rules.rule` and from `fixes`, and
nowhere else.

A `Reading` is one scope as one kind of call sees it. A `Call` is one call in the source, with all of its
executions: on every path that reaches it, in every turn of the loops around it. What a Call says of itself
(`broken`, an argument's `shape`) holds for *every path* in at least one turn; that is what "must" means here.
"""

from torchwise.domain.value import Site
from torchwise.rules.rule import ERROR, HINT, WARNING, Example
from torchwise.rules.vocabulary import figures, spans, versions
from torchwise.rules.vocabulary.breaking import breaks_graph, deprecations, draws_in, untraced
from torchwise.rules.vocabulary.call import Call
from torchwise.rules.vocabulary.flag import CALLER, Flag
from torchwise.rules.vocabulary.happening import Happening, made_by
from torchwise.rules.vocabulary.operand import Operand, sizes
from torchwise.rules.vocabulary.reading import ON_PURPOSE, Reading
from torchwise.rules.vocabulary.timing import clock_read, gpu_work_between

__all__ = [
    "CALLER", "ERROR", "HINT", "ON_PURPOSE", "WARNING", "Call", "Example", "Flag", "Happening", "Operand", "Reading",
    "Site", "breaks_graph", "clock_read", "deprecations", "draws_in", "figures", "gpu_work_between", "made_by",
    "sizes", "spans", "untraced", "versions",
]  # fmt: skip
