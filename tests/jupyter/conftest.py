from __future__ import annotations

from typing import Any

import pytest

pytest_plugins = ["pytest_jupyter.jupyter_server"]


@pytest.fixture
def jp_server_config(jp_server_config: Any) -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"torchwise.jupyter": True}}}
