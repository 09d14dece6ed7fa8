"""The last step of a padded batch is read, which for all but the longest sequences is padding.

`pad_packed_sequence` fills up with zeros behind the end of each sequence. `out[:, -1]` is the last step of the
longest ones alone, and zeros for the rest. Read each at its own length,
`out[torch.arange(len(out)), lengths - 1]`, or take the last hidden state that the layer gives, `h[-1]`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_packed_sequence.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading
from torchwise.rules.vocabulary.fitting import takes_last

CODE, LEVEL, LESSON = "TW354", WARNING, "02-tensors/indexing#lists-of-indices"

EXAMPLES = [
    Example(
        bad="""
            out, lengths = pad_packed_sequence(packed, batch_first=True)
            last = out[:, -1]
                   ^^^^^^^^^^ is padding for all but the longest sequences
            """,
        good="""
            out, lengths = pad_packed_sequence(packed, batch_first=True)
            last = out[torch.arange(2), lengths - 1]
            """,
        setup="""
            import torch
            from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

            packed = pack_padded_sequence(torch.ones(2, 3, 4), torch.tensor([3, 1]), batch_first=True)
            """,
        harm=lambda bad, good: not bad["last"][1].any() and good["last"][1].all(),  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

    packed = pack_padded_sequence(torch.ones(2, 3, 4), torch.tensor([3, 1]), batch_first=True)
    out, lengths = pad_packed_sequence(packed, batch_first=True)
    first, without = out[:, 0], out[:, :-1]
    longest = out[-1]  # an example
    shortest = lengths[-1]
    steps, _ = pad_packed_sequence(packed)
    features = steps[:, -1]  # an example
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("getitem"):
        source, index = call["self"] or call["input"], call["index"]
        axis = {"padded": 1, "padded-time-first": 0}.get(source.nature) if source is not None else None
        if axis is not None and index is not None and takes_last(index, axis):
            yield call.flag("is padding for all but the longest sequences: read each at its own length")
