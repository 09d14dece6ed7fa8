from __future__ import annotations

from typing import Any

import pytest
from pytest_jupyter.jupyter_core import *  # noqa: F403 - a plugin may be named at the top alone
from pytest_jupyter.jupyter_server import *  # noqa: F403


@pytest.fixture  # in place of the one above
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"torchwise.jupyter": True}}}
