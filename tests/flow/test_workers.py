"""Streams in several workers: who takes a share asks for it somewhere in what the dataset runs."""

from __future__ import annotations

from textwrap import dedent

from tests.flow.seen import events

HEAD = """
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

def mine(paths):
    worker = get_worker_info()
    return paths if worker is None else paths[worker.id :: worker.num_workers]
"""


def repeated(code: str) -> bool:
    read = """
loader = DataLoader(Rows(["a.csv", "b.csv"]), batch_size=4, num_workers=2)
"""
    return bool(events(HEAD + dedent(code) + read, "iterable-repeated"))


def test_a_method_with_a_name_for_parts_takes_none() -> None:
    assert repeated("""
        class Rows(IterableDataset):
            def __init__(self, shards):
                self.shards = shards

            def my_shards(self):
                return self.shards

            def __iter__(self):
                for shard in self.my_shards():
                    yield torch.tensor([float(value) for value in shard.split(",")])
        """)


def test_a_share_of_a_process_is_none_of_a_worker() -> None:
    assert repeated("""
        import torch.distributed as dist

        class Rows(IterableDataset):
            def __init__(self, paths):
                self.paths = paths[dist.get_rank() :: dist.get_world_size()]

            def __iter__(self):
                yield from self.paths
        """)


def test_a_base_class_takes_the_share_by_a_function() -> None:
    assert not repeated("""
        class Stream(IterableDataset):
            def __init__(self, paths):
                self.paths = paths

            def records(self):
                yield from mine(self.paths)

        class Rows(Stream):
            def __iter__(self):
                for record in self.records():
                    yield len(record)
        """)


def test_a_source_inside_takes_the_share() -> None:
    assert not repeated("""
        class Source:
            def __init__(self, paths):
                self.paths = paths

            def __iter__(self):
                yield from mine(self.paths)

        class Rows(IterableDataset):
            def __init__(self, paths):
                self.source = Source(paths)

            def __iter__(self):
                for path in self.source:
                    yield len(path)
        """)


def test_a_library_that_is_not_known_may_take_the_share() -> None:
    assert not repeated("""
        from streams import split_by_process

        class Rows(IterableDataset):
            def __init__(self, paths):
                self.paths = paths

            def __iter__(self):
                yield from split_by_process(self.paths)
        """)
    assert not repeated("""
        from streams import Shares

        class Rows(Shares, IterableDataset):
            def __init__(self, paths):
                self.paths = paths

            def __iter__(self):
                yield from self.paths
        """)
