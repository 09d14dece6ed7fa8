"""Where the token of a Jupyter server comes from: the editor's secret storage, the files that a running
server leaves for its user, or the environment. It is never written anywhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

VARIABLES = ("TORCHWISE_TOKEN", "JUPYTER_TOKEN")
_LOOPBACK = {"localhost", "127.0.0.1", "::1", "0.0.0.0", "::", ""}


class Token:
    """A secret: it shows itself in no text but the header that it is made for."""

    def __init__(self, secret: str):
        self._secret = secret

    def __repr__(self) -> str:
        return "Token(...)"

    def __bool__(self) -> bool:
        return bool(self._secret)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"token {self._secret}"} if self._secret else {}

    def hidden_in(self, text: str) -> str:
        """The text without the secret."""
        return text.replace(self._secret, "…") if self._secret else text


def token_for(url: str, given: str | None = None, environment: Mapping[str, str] = os.environ) -> Token:
    """The one that was given; that of a server of this user at this address; the environment's."""
    if given:
        return Token(given)
    for server in _running():
        if _same_place(server.get("url", ""), url):
            return Token(str(server.get("token") or ""))
    return Token(next((environment[name] for name in VARIABLES if environment.get(name)), ""))


def _running() -> Iterator[dict[str, str]]:
    """What running servers say of themselves."""
    from jupyter_core.paths import jupyter_runtime_dir

    for path in sorted(Path(jupyter_runtime_dir()).glob("*server-*.json"), key=_age):
        try:
            known = json.loads(path.read_text())
        except (OSError, ValueError):  # it has just ended, or is being written
            continue
        if isinstance(known, dict):
            yield known


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def _same_place(one: str, other: str) -> bool:
    return _place(one) == _place(other)


def _place(url: str) -> tuple[str, int | None, str]:
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return ("loopback" if host in _LOOPBACK else host), port, parts.path.rstrip("/")
