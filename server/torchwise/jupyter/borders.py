"""What a client may say: the messages that there are, and addresses within the root folder of the server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from torchwise.jupyter.documents import FOLLOWED

REQUESTS = {
    "textDocument/codeAction",
    "textDocument/hover",
    "textDocument/inlayHint",
    "codeAction/resolve",
    "workspace/executeCommand",
}
NOTIFICATIONS = {
    *FOLLOWED,
    "torchwise/trust",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
}
# Keys under which a message names a file. Texts of the user stand under none of these.
_ADDRESSES = {"uri", "path", "file", "folder", "document"}
_FILES = {"", "file", "vscode-notebook-cell"}


class OutOfBounds(Exception):
    """A message that is not passed on; the text says why."""


def allowed(message: dict[str, Any], root: str | None) -> None:
    method = message.get("method")
    known = REQUESTS if "id" in message else NOTIFICATIONS
    if method not in known:
        raise OutOfBounds(f"`{method}` is not answered here")
    for address in _addresses(message.get("params")):
        if not _is_inside(address, root):
            raise OutOfBounds(f"`{address}` is outside of the root folder of this Jupyter server")


def _addresses(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _addresses(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _ADDRESSES and isinstance(item, str):
                yield item
            else:
                yield from _addresses(item)


def _is_inside(address: str, root: str | None) -> bool:
    """What is no file has no place outside."""
    parts = urlsplit(address)
    if parts.scheme not in _FILES:
        return len(parts.scheme) > 1  # one letter is a drive
    path = unquote(parts.path) if parts.scheme else address
    return root is not None and Path(os.path.realpath(path)).is_relative_to(root)
