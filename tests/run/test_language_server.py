"""Running through the language server, as an editor does it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.session import REAL
from tests.lsp.wire import Wire
from torchwise.lsp import protocol_pages
from torchwise.run import messages
from torchwise.run.catalogue import COMMANDS, GROUP, TOLD_BY_CLIENT, TOLD_BY_SERVER


class Client(Wire):
    """A client that keeps what is told."""

    def __init__(self, folder: Path) -> None:
        super().__init__(REAL)
        self.told: list[dict[str, Any]] = []
        self.capabilities = self.ask(
            "initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}
        )["result"]["capabilities"]
        self.notify("initialized", {})

    def read(self) -> dict[str, Any]:
        message = super().read()
        if str(message.get("method")).startswith("torchwise/"):
            self.told.append(message)
        return message

    def command(self, name: str, request: dict[str, Any] | None = None) -> Any:
        arguments = [] if request is None else [request]
        answer = self.ask("workspace/executeCommand", {"command": f"{GROUP}.{name}", "arguments": arguments})
        return answer.get("result", answer.get("error"))

    def begin(self, name: str, request: dict[str, Any]) -> int:
        self.count += 1
        params = {"command": f"{GROUP}.{name}", "arguments": [request]}
        self.send(id=self.count, method="workspace/executeCommand", params=params)
        return self.count

    def trust(self) -> None:
        self.notify("torchwise/trust", {"trusted": True})

    def until_told(self, kind: str) -> dict[str, Any]:
        while True:
            message = self.read()
            if message.get("method") == "torchwise/output" and message["params"]["output"]["kind"] == kind:
                output: dict[str, Any] = message["params"]["output"]
                return output

    def end(self) -> None:
        self.ask("shutdown", None)
        self.notify("exit", None)
        assert self.process.wait(20) == 0


def test_nothing_is_run_before_the_workspace_is_trusted(tmp_path: Path) -> None:
    client = Client(tmp_path)
    refused = client.command("run", {"run": "1", "code": "open('made.txt', 'w')"})
    assert refused["ended"] == "refused" and "not trusted" in refused["message"]
    assert "not trusted" in client.command("devices", {})["problems"][0]["what"]
    assert "not trusted" in client.command("trace", {"path": "a.py"})["problem"]["what"]
    assert client.command("list") == {"kernels": []} and not list(tmp_path.iterdir())
    client.end()


def test_a_run_tells_its_output_and_then_answers(tmp_path: Path) -> None:
    client = Client(tmp_path)
    client.trust()
    (tmp_path / "beside.txt").write_text("words")
    code = "print(open('beside.txt').read())\ndef f(): return 1 / 0\nf()"
    result = client.command("run", {"run": "a", "code": code, "name": "a.py", "firstRow": 10})
    assert (result["run"], result["ended"], result["kernel"]) == ("a", "failed", "cpu-1")
    stream, failure = [m["params"]["output"] for m in client.told if m["method"] == "torchwise/output"]
    assert (stream["kind"], stream["text"], failure["name"]) == ("stream", "words\n", "ZeroDivisionError")
    assert [(frame["snippet"], frame["row"]) for frame in failure["frames"]] == [("a.py", 12), ("a.py", 11)]
    states = [m["params"]["state"] for m in client.told if m["method"] == "torchwise/kernel"]
    assert states == ["starting", "idle", "busy", "idle"]
    (kernel,) = client.command("list")["kernels"]
    assert kernel["kernel"] == "cpu-1" and kernel["where"] == sys.executable
    assert client.command("restart", {"kernel": "cpu-1"}) == {"done": True}
    assert client.command("stop", {"kernel": "no such"}) == {"done": False}
    client.end()


def test_an_interrupt_reaches_a_run_and_typing_is_answered_meanwhile(tmp_path: Path) -> None:
    client = Client(tmp_path)
    client.trust()
    number = client.begin("run", {"run": "a", "code": "print('on')\nwhile True: pass"})
    client.until_told("stream")
    uri = client.open("a.py", "import torch\nx = torch.zeros(2, 3)\n")
    hover = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}}
    assert "error" not in client.ask("textDocument/hover", hover)
    began = time.monotonic()
    client.begin("interrupt", {"run": "a"})
    assert client.answer(number)["result"]["ended"] == "interrupted" and time.monotonic() - began < 2.0
    client.end()


def test_what_is_called_for_real_needs_known_arguments(tmp_path: Path) -> None:
    client = Client(tmp_path)
    request = {"path": "/nowhere/a.py", "entry": "step"}
    assert "not trusted" in client.command("compile", request)["problem"]["what"]
    client.trust()
    client.open("a.py", "import torch\ndef step(x: torch.Tensor):\n    return x\n")
    problem = client.command("compile", request)["problem"]
    assert problem["what"] == "the shape of `x` is not known" and "a.py::step(" in problem["remedy"]
    client.end()


def test_a_message_of_the_wrong_form_is_refused_without_its_secrets(tmp_path: Path) -> None:
    client = Client(tmp_path)
    client.trust()
    error = client.command("run", {"run": 5, "code": "1", "token": ["t0p"]})
    assert error["code"] == -32602 and "token" in error["message"] and "t0p" not in str(error)
    client.end()


@pytest.mark.parametrize("kindly", [True, False], ids=["shutdown", "kill"])
def test_the_end_of_the_server_is_that_of_its_kernels(tmp_path: Path, kindly: bool) -> None:
    client = Client(tmp_path)
    client.trust()
    client.begin("run", {"run": "a", "code": "import os\nprint(os.getpid())\nwhile True: pass"})
    kernel = int(client.until_told("stream")["text"])
    if kindly:
        client.end()
    else:
        client.process.kill()
        client.process.wait()
    end = time.monotonic() + 10
    while Path(f"/proc/{kernel}").exists() and time.monotonic() < end:
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)


def test_every_command_is_advertised_and_every_message_exists(tmp_path: Path) -> None:
    client = Client(tmp_path)
    names = {command.full_name for command in COMMANDS}
    assert names <= set(client.capabilities["executeCommandProvider"]["commands"])
    client.end()
    named = {name for row in COMMANDS for name in (row.request, row.result) if name}
    named |= {row.message for row in (*TOLD_BY_SERVER, *TOLD_BY_CLIENT)}
    assert all(hasattr(messages, name) for name in named)


def test_the_protocol_is_written_down() -> None:
    assert protocol_pages.main(check=True) == 0
    text = protocol_pages.typescript()
    assert "firstRow?: number;" in text and 'format: "png" | "jpeg"' in text and "frames: Frame[];" in text


def test_running_costs_nothing_before_it_is_asked_for() -> None:
    import subprocess

    code = "import sys, torchwise.lsp.server as s; s.make_server(); "
    code += "print({'pydantic', 'jupyter_client', 'httpx', 'zmq', 'nh3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
