from collections.abc import Iterator

import pytest

from torchwise.lessons.prove import Processes

pytest.register_assert_rewrite("tests.lessons.proven")


@pytest.fixture(scope="session")
def processes() -> Iterator[Processes]:
    with Processes() as made:
        yield made
