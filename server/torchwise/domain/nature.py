"""What the numbers of a tensor are, beyond their dtype: see `Tensor.nature`.

A word is set where it is certain, and is lost wherever it may not hold any more. Some words name the call
that made the
numbers what they are: "gradient@<scope>#<instruction>".
"""

from __future__ import annotations

from torchwise.domain.value import Site

KEEP = "keep"  # a mask that is True (or 1) where something counts: real tokens, the past
DROP = "drop"  # a mask that is True (or 1) where something is to be left out: padding, the future
FLAGS = "flags"  # bools, or 0 and 1, of a comparison of unknown sense
POSITIONS = "positions"  # 0, 1, 2 ... along an axis
GRADIENT = "gradient"  # made of gradients alone, which have no graph of their own
PENALTY = "penalty"  # a measure of such gradients: their norm, their square
REWRAPPED = "rewrapped"  # made alone of tensors whose graph `torch.tensor` has cut off
PER_CLASS = "per-class"  # made of how often each class comes: one number for each
HARD = "hard"  # made of comparisons of what has a graph, which have none themselves
ASKED = "asked"  # a leaf that was told to require grad after it had been computed
ONES = "ones"
UNWRITTEN = "unwritten"  # whatever was in the memory
# (time, batch, features), out of a recurrent or attention layer without batch_first
TIME_FIRST = "time-first"
PADDED = "padded"  # (batch, time, ...), filled up behind the end of each sequence
PADDED_TIME_FIRST = "padded-time-first"  # the same as (time, batch, ...)
# out of attention over a 2-d input, which is one sequence to it whatever batch_first says
UNBATCHED = "unbatched"
REPEATING = "repeating"  # indices among which the same one may come twice: predicted classes, random ints
DISTINCT = "distinct"  # indices of which no two are equal
LEAF_GRADIENT = "leaf-gradient"  # made of the `.grad` of leaves
PER_EXAMPLE = "losses"  # one for each element or example
MEAN = "mean-loss"  # a mean over what was at hand, as losses are; or a sum of such means
WEIGHTED = "weighted-loss"  # such a mean times a number
SCORES = "scores"  # of a linear layer: any real numbers
PROBABILITIES = "probabilities"  # with the call that made them, if along the first of several axes
SIGMOID = "sigmoid"  # probabilities, each for itself
LOG_PROBABILITIES = "log-probabilities"
LOG_SIGMOID = "log-sigmoid"
COMPUTED = "computed"  # a weight that its layer computes from other parameters, each time anew
UNBORN = "unborn"  # a parameter of a lazy layer that has not been called yet
JAGGED = "jagged"  # a nested tensor with the offsets that a call made
REPLAYED = "replayed"  # lies in the memory of a CUDA graph that is run again
BATCHED = "batched"  # one example, of which vmap computes all at once
ANY_ORDER = "any-order"  # numbers of examples that a loader has shuffled
HEADS = "heads"  # (batch, tokens, heads, features): split off the last axis, and not moved
LISTED_AGAIN = "listed-again"  # one tensor in several places of a list
ROUNDED = "rounded"  # steps, whose derivative is 0 wherever it exists
SCALED = "scaled"  # a loss times the scale of a gradient scaler

IN_TIME = frozenset((TIME_FIRST, PADDED, PADDED_TIME_FIRST))  # which speak of the order of axes
MASKS = frozenset((KEEP, DROP, FLAGS))
INVERTED = {KEEP: DROP, DROP: KEEP, FLAGS: FLAGS}


def made_at(word: str, site: Site) -> str:
    scope, ref = site.place
    return f"{word}@{scope}#{ref}"


def word_of(nature: str | None) -> str:
    return "" if nature is None else nature.partition("@")[0]


def maker_of(nature: str | None) -> Site | None:
    """The call that a nature names."""
    scope, _, ref = (nature or "").partition("@")[2].rpartition("#")
    return Site(scope, int(ref)) if scope else None
