"""What loops get of the project's own iterables: generators, objects with `__iter__`, columns of rows."""

from __future__ import annotations

from tests.flow.seen import shapes

ROWS = """
    import torch
    from collections import namedtuple

    def rows(count):
        for i in range(count):
            size = int(torch.randint(3, 12, (1,)))
            yield {"ids": torch.zeros(size), "x": torch.zeros(4), "y": i % 2}

    def pairs(count):
        for i in range(count):
            yield torch.zeros(3, 5), i

    def forever():
        while True:
            yield torch.zeros(6)

    class Windows:
        def __init__(self, stream):
            self.stream = stream

        def __iter__(self):
            for i in range(0, 10):
                yield self.stream[i : i + 3], self.stream[i + 1]

    class Countdown:
        def __init__(self):
            self.left = 5

        def __iter__(self):
            return self

        def __next__(self):
            if self.left == 0:
                raise StopIteration
            self.left -= 1
            return torch.zeros(7)

    class Pages:
        def __len__(self):
            return 4

        def __getitem__(self, number):
            return torch.zeros(2, 2), number
"""


def seen(code: str) -> dict[str, str]:
    return shapes(ROWS + code)


def test_a_dict_that_a_generator_yields_keeps_its_keys() -> None:
    found = seen("""
    for row in rows(90):
        x, ids = row["x"], row["ids"]
    """)
    assert (found["x"], found["ids"]) == ("4", "?")


def test_each_turn_has_a_dict_of_its_own() -> None:
    found = seen("""
    for row in rows(90):
        x = row.pop("x")
    """)
    assert found["x"] == "4"


def test_rows_kept_in_a_list_or_counted_are_the_same_rows() -> None:
    found = seen("""
    kept = list(rows(90))
    for row in kept:
        one = row["x"]
    for number, row in enumerate(rows(90)):
        two = row["x"]
    """)
    assert (found["one"], found["two"]) == ("4", "4")


def test_what_follows_a_generator_that_never_ends_is_run() -> None:
    found = seen("""
    stream = forever()
    x = next(stream)
    """)
    assert found["x"] == "6"


def test_yield_from_hands_on_the_elements() -> None:
    found = seen("""
    def both():
        yield from pairs(3)
        yield from pairs(4)
    for x, number in both():
        y = x + 1
    """)
    assert found["y"] == "3 5"


def test_an_object_is_walked_through_by_its_own_iter() -> None:
    found = seen("""
    for source, target in Windows(torch.zeros(20, 6)):
        pass
    first, _ = next(iter(Windows(torch.zeros(20, 8))))
    for left in Countdown():
        pass
    for page, number in Pages():
        pass
    """)
    assert [found[n] for n in ("source", "target", "first", "left", "page")] == [
        "3 6",
        "6",
        "3 8",
        "7",
        "2 2",
    ]


def test_zip_of_rows_gives_columns() -> None:
    found = seen("""
    xs, numbers = zip(*pairs(90))
    x, y = torch.stack(xs), torch.tensor(numbers)
    a, b = map(torch.stack, zip(*[(torch.zeros(3), torch.zeros(2)) for _ in range(90)]))
    """)
    assert (found["x"], found["y"], found["a"], found["b"]) == ("? 3 5", "?", "? 3", "? 2")


def test_records_are_told_apart_by_field() -> None:
    found = seen("""
    Step = namedtuple("Step", "state action")
    memory = [Step(torch.zeros(3), 4) for _ in range(90)]
    one = memory[0].state
    batch = Step(*zip(*memory))
    states, actions = torch.stack(batch.state), torch.tensor(batch.action)
    """)
    assert (found["one"], found["states"], found["actions"]) == ("3", "? 3", "?")


def test_a_loader_over_an_iterable_dataset_collates_what_it_yields() -> None:
    found = seen("""
    from torch.utils.data import DataLoader, IterableDataset

    class Stream(IterableDataset):
        def __iter__(self):
            for i in range(90):
                yield torch.zeros(5), i

    for x, y in DataLoader(Stream(), batch_size=2):
        pass
    """)
    assert (found["x"], found["y"]) == ("? 5", "?")


def test_rows_of_an_array_and_objects_of_one_class_are_collected_as_they_are() -> None:
    found = seen("""
    from dataclasses import dataclass
    import numpy as np

    @dataclass
    class Step:
        state: torch.Tensor
        action: int

    rows = torch.from_numpy(np.stack([row for row in np.zeros((90, 4), dtype=np.float32)]))
    memory = []
    for i in range(90):
        memory.append(Step(torch.zeros(4), i))
    states = torch.stack([step.state for step in memory])
    actions = torch.tensor([step.action for step in memory])
    """)
    assert (found["rows"], found["states"], found["actions"]) == ("? 4", "? 4", "?")


def test_a_key_that_is_not_known_gives_what_covers_the_values() -> None:
    found = seen("""
    kept = {f"row {i}": torch.zeros(3, 4) for i in range(12)}
    one = kept[input()]
    counted = {}
    for i in range(90):
        counted[i] = torch.zeros(5)
    other = counted[7]
    """)
    assert (found["one"], found["other"]) == ("3 4", "5")


def test_loops_in_loops_that_take_too_long_are_not_given_up() -> None:
    rounds = "\n".join(f"            x{n} = x + {n}" for n in range(60))
    found = shapes(f"""
    import torch

    def fit(rows):
        for epoch in range(12):
            for x in rows:
{rounds.replace("            ", "                ")}
        return x0

    y = fit([torch.zeros(3) for _ in range(12)])
    """)
    assert found["y"] == "3"
