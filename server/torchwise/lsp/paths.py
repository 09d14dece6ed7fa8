"""Between addresses of LSP and paths. What is no file (an untitled document) has a path that no file can
have.
"""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from pygls.uris import from_fs_path, to_fs_path


def path_of(uri: str) -> str:
    path = to_fs_path(uri)
    if path is not None:
        return os.path.normpath(path)
    parts = urlsplit(uri)
    return os.path.normpath(f"/{parts.scheme}:/{unquote(parts.path)}")


def is_on_disk(path: str) -> bool:
    """May there be a file with this path?"""
    return ":" not in path.split("/", 2)[1] if path.startswith("/") else True


def uri_of(path: str) -> str:
    return from_fs_path(path) or path
