"""JupyterLab's and Notebook's part of the server: what jupyter_server loads when it is told to."""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from torchwise.jupyter.extension import TorchwiseExtension

    return [{"module": "torchwise.jupyter", "app": TorchwiseExtension}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "../labextension", "dest": "@torchwise/lab"}]
