"""A dataset opens a file when it is made, and worker processes share the handle.

Forked workers have one position in the file between them: what one seeks, another reads on from. Started
afresh
(spawn), they cannot get the handle at all. Open the file on first use, in the worker.

Source: https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
"""

import os
from collections.abc import Iterator
from typing import Any

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW605", WARNING, "06-data/loaders#what-workers-share"


def _moved_by_workers(bad: dict[str, Any], good: dict[str, Any]) -> bool:
    """Whether the place in this process's file moved, though workers alone have read."""
    return os.lseek(bad["lines"].file.fileno(), 0, os.SEEK_CUR) > 0 and good["lines"].file is None


EXAMPLES = [
    Example(
        bad="""
            class Lines(Dataset):
                def __init__(self, path):
                    self.file = open(path)
                                ^^^^^^^^^^ is open in all workers at once

                def __len__(self):
                    return 4

                def __getitem__(self, index):
                    self.file.seek(2 * index)
                    return self.file.read(1)

            lines = Lines(path)
            seen = list(DataLoader(lines, num_workers=2))
            """,
        good="""
            class Lines(Dataset):
                def __init__(self, path):
                    self.path, self.file = path, None

                def __len__(self):
                    return 4

                def __getitem__(self, index):
                    if self.file is None:
                        self.file = open(self.path)
                    self.file.seek(2 * index)
                    return self.file.read(1)

            lines = Lines(path)
            seen = list(DataLoader(lines, num_workers=2))
            """,
        setup="""
            import os
            import tempfile

            from torch.utils.data import DataLoader, Dataset

            path = os.path.join(tempfile.mkdtemp(), "lines")
            with open(path, "w") as file:
                file.write("0\\n1\\n2\\n3\\n")
            """,
        harm=_moved_by_workers,
    ),
]

SILENT = [
    """
    from torch.utils.data import DataLoader, Dataset

    class Lines(Dataset):
        def __init__(self, path):
            self.file = open(path)

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return self.file.read(1)

    batches = DataLoader(Lines("lines"))  # no workers
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for loader in scope.calls_to("DataLoader"):
        for kept in loader.breaks("shared-handle"):
            source = loader["dataset"]
            if source is not None:
                at = scope.made(kept.because, "")
                yield Flag(
                    at[0][0] if at else source.at,
                    f"`{kept.axis}` is open in all workers at once: they share one position in the file",
                    because=((loader.at, "the loader with workers"),),
                )
