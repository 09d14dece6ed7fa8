"""The lengths for `pack_padded_sequence` are not sorted, not on the CPU, or 0.

By default (`enforce_sorted=True`) the sequences must come longest first. `enforce_sorted=False` sorts and
sorts back. Lengths live on
the CPU, and none of them may be 0.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW313", ERROR, "15-utilities/ragged-batches#packing"

EXAMPLES = [
    Example(
        bad="""
            packed = pack_padded_sequence(padded, [3, 5, 2], batch_first=True)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sorted
            """,
        good="""
            packed = pack_padded_sequence(padded, [3, 5, 2], batch_first=True, enforce_sorted=False)
            """,
        setup="""
            import torch
            from torch.nn.utils.rnn import pack_padded_sequence

            padded = torch.randn(3, 5, 4)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence

    def packed(batch, lengths):
        return pack_padded_sequence(batch, lengths)

    packed(torch.randn(5, 3, 2), torch.tensor([5, 3, 3]))  # longest first
    """,
    """
    from torch.nn.utils.rnn import pack_padded_sequence

    def pack(padded, lengths):
        return pack_padded_sequence(padded, lengths, batch_first=True)  # may come sorted
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("pack_padded_sequence"):
        lengths = call["lengths"]
        if lengths is None:
            continue
        sorted_ = call["enforce_sorted"]
        drawn = lengths.nature == "repeating" and lengths.made_by_nature is None  # and not written down
        drawn = drawn or lengths.nature == "any-order"
        if drawn and (sorted_ is None or sorted_.constant is True):
            yield call.flag(
                f"{lengths.quoted} comes in any order, but `enforce_sorted=True` demands longest first",
                level=WARNING,
            )
        for broken in call.breaks("argument", "device"):
            if broken.axis == "enforce_sorted":
                yield call.flag(
                    f"{lengths.quoted} is not sorted from longest to shortest, as `enforce_sorted=True` "
                    "demands"
                )
            elif broken.kind == "device":
                yield call.flag(f"{lengths.quoted} is on {broken.got}: lengths must be on the CPU")
            else:
                yield call.flag(f"{lengths.quoted} has {broken.got}: every length must be {broken.wanted}")
            break
