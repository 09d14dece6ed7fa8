"""A server, and messages as they are on the wire: no client library stands between."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any


class Wire:
    """A server, and messages as they are on the wire."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.count = 0

    def send_bytes(self, body: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any) -> None:
        self.send(method=method, params=params)

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """The answer to this question; what else the server says meanwhile is passed over."""
        self.count += 1
        self.send(id=self.count, method=method, params=params)
        return self.answer(self.count)

    def answer(self, number: int) -> dict[str, Any]:
        while (message := self.read()).get("id") != number or "method" in message:
            pass
        return message

    def read(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server has ended"
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def open(self, name: str, text: str) -> str:
        uri = f"file:///nowhere/{name}"
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri
