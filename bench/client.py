"""The least of an LSP client: it speaks to `torchwise server` over stdio and waits for what the server
says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.budget import ROOT

Message = dict[str, Any]


class Client:
    """One server process. Stateful because a connection is."""

    def __init__(self, root: Path = ROOT) -> None:
        command = [sys.executable, "-m", "torchwise", "server"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self.asked = 0
        capabilities = {
            "textDocument": {
                "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
                "synchronization": {"dynamicRegistration": False},
            },
            "workspace": {"configuration": False},
        }
        parameters = {
            "processId": None,
            "rootUri": root.as_uri(),
            "capabilities": capabilities,
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
        }
        self.request("initialize", parameters)
        self.notify("initialized", {})

    def send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> Message:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
            assert self.process.poll() is None or line, "the server has ended"
        message: Message = json.loads(self.process.stdout.read(length))
        if "method" in message and "id" in message:  # the server asks; nothing it asks matters here
            self.send({"id": message["id"], "result": None})
        return message

    def wait_for(self, wanted: Callable[[Message], bool]) -> Message:
        while not wanted(message := self.receive()):
            pass
        return message

    def request(self, method: str, parameters: Message) -> Any:
        self.asked += 1
        number = self.asked
        self.send({"id": number, "method": method, "params": parameters})
        answer = self.wait_for(lambda message: message.get("id") == number and "method" not in message)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def notify(self, method: str, parameters: Message) -> None:
        self.send({"method": method, "params": parameters})

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def diagnostics(self, uri: str, version: int) -> list[Message]:
        """Waits until the server has spoken of this version of the document."""

        def of_this_version(message: Message) -> bool:
            if message.get("method") != "textDocument/publishDiagnostics":
                return False
            parameters = message["params"]
            return parameters["uri"] == uri and parameters.get("version", version) == version

        found: list[Message] = self.wait_for(of_this_version)["params"]["diagnostics"]
        return found

    def has_loaded(self, library: str) -> bool:
        return library in Path(f"/proc/{self.process.pid}/maps").read_text()

    def close(self) -> None:
        self.request("shutdown", {})
        self.notify("exit", {})
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
