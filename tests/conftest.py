"""What all tests share: Hypothesis profiles, and torch on one thread: two processes fit on two cores."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", ".pytest_cache/inductor")

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(autouse=True)
def torch_as_imported() -> Iterator[None]:
    """Programs that a test runs set things for the whole process; which tests share one, chance says."""
    yield
    if "torch" in sys.modules:
        from tests.torch_settings import put_back

        put_back()
