"""Messages in any order, some of them garbled; and what must hold in the end whatever was sent.

The server stays, answers each question that makes sense, and knows the texts as the client has them.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fuzz.choices import Choices, often, one_of
from fuzz.desk import Desk
from fuzz.mirror import Mirror, _length
from fuzz.programs import cells, program
from torchwise.engine import Engine
from torchwise.fixes.lines import lines_of

FOLDER = "file:///nowhere"
FILES = (f"{FOLDER}/model.py", f"{FOLDER}/with%20space/%C3%A9.py", "untitled:Untitled-1")
NOTEBOOK = f"{FOLDER}/look.ipynb"
CELL = "vscode-notebook-cell:/nowhere/look.ipynb#{}"
MOST_MESSAGES = 25
ASKED = (
    *("textDocument/hover", "textDocument/codeAction", "textDocument/inlayHint", "textDocument/diagnostic"),
    *("textDocument/codeLens", "textDocument/hover"),
)
NOT_NOW = {-32800, -32801, -32802}  # cancelled, or the text has changed meanwhile: the client asks again
VALUES: tuple[Any, ...] = (
    None,
    7,
    -1,
    2**40,
    0.5,
    "",
    "x",
    [],
    {},
    [None],
    {"uri": 3},
    True,
    "\ud800",
    {"jsonrpc": "2.0"},
)
NOISE = (b"\r\n", b"Content-Type: x\r\n", b"noise\r\n\r\n", b"Content-Length: x\r\n")


class Client:
    """Stateful: what it has sent, and the texts that it has open."""

    def __init__(self, choices: Choices, desk: Desk) -> None:
        self.choices, self.desk = choices, desk
        self.open: dict[str, Mirror] = {}
        self.cells: list[str] = []
        self.count = self.cell_count = self.notebook_version = 0
        self.asked: list[int] = []
        self.garbled = self.configured = False

    async def tell(self, method: str, params: Any) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def ask(self, method: str, params: Any) -> int:
        self.count += 1
        sound = await self._send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        if sound:
            self.asked.append(self.count)
        return self.count

    async def _send(self, message: dict[str, Any]) -> bool:
        if often(self.choices, 12) and message["method"] not in ("initialize", "initialized"):
            self.garbled = True
            for mirror in self.open.values():
                mirror.sure = False
            await self.desk.send(garbled(self.choices, message))
            return False
        if often(self.choices, 20):
            await self.desk.noise(one_of(self.choices, NOISE[:2]))
        await self.desk.send(json.dumps(message).encode())
        return True

    # -- one message of each kind

    async def opens(self) -> None:
        uri = one_of(self.choices, FILES)
        if uri in self.open:
            return await self.closes()
        text = program(self.choices)
        self.open[uri] = Mirror(text, sure=_is_text(text))
        await self._opened(uri)

    async def _opened(self, uri: str) -> None:
        mirror = self.open[uri]
        item = {"uri": uri, "languageId": "python", "version": mirror.version, "text": mirror.text}
        await self.tell("textDocument/didOpen", {"textDocument": item})

    async def edits(self) -> None:
        if not self.open:
            return await self.opens()
        uri = one_of(self.choices, sorted(self.open))
        mirror, changes = self.open[uri], []
        mirror.version += 1
        for _ in range(self.choices.number(1, 3)):
            new = (
                self.choices.text()
                if often(self.choices, 4)
                else one_of(self.choices, ("", "\n", "x", "    ", ")", "🍎", "\r"))
            )
            if often(self.choices, 8):
                mirror.text, mirror.sure = new, mirror.sure and _is_text(new)
                changes.append({"text": new})
                continue
            start = self._place(mirror)
            end = start if often(self.choices, 2) else self._place(mirror)
            if not often(self.choices, 8):
                start, end = min(start, end), max(start, end)
            mirror.edit(start, end, new)
            where = {"start": _position(start), "end": _position(end)}
            changes.append({"range": where, "text": new})
        document = {"uri": uri, "version": mirror.version}
        await self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _place(self, mirror: Mirror) -> tuple[int, int]:
        """Within the text, or a little outside."""
        lines = lines_of(mirror.text) or [""]
        line = self.choices.number(0, len(lines))
        return line, self.choices.number(0, (_length(lines[line]) if line < len(lines) else 0) + 2)

    async def closes(self) -> None:
        if self.open:
            uri = one_of(self.choices, sorted(self.open))
            del self.open[uri]
            await self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    async def asks(self) -> None:
        uri = one_of(self.choices, (*FILES, NOTEBOOK, *self.cells, "file:///no.py", "::"))
        start, end = (self.choices.number(0, 30), self.choices.number(0, 30)), (self.choices.number(0, 90), 3)
        where = {"start": _position(start), "end": _position(max(start, end))}
        method = one_of(self.choices, ASKED)
        params: dict[str, Any] = {"textDocument": {"uri": uri}, "position": _position(start), "range": where}
        if method == "textDocument/codeAction":
            params["context"] = {"diagnostics": []}
        number = await self.ask(method, params)
        if often(self.choices, 6):
            await self.tell("$/cancelRequest", {"id": number})

    async def opens_notebook(self) -> None:
        if self.cells:
            return await self.edits_notebook()
        made = cells(self.choices)
        self.cells = [self._new_cell() for _ in made] or [self._new_cell()]
        kinds = [2 if cell.kind == "code" else 1 for cell in made] or [2]
        texts = [cell.text for cell in made] or [""]
        told = [{"kind": kind, "document": uri} for kind, uri in zip(kinds, self.cells)]
        document = {"uri": NOTEBOOK, "notebookType": "jupyter-notebook", "version": 1, "cells": told}
        items = [_cell_item(uri, text) for uri, text in zip(self.cells, texts)]
        await self.tell(
            "notebookDocument/didOpen", {"notebookDocument": document, "cellTextDocuments": items}
        )

    async def edits_notebook(self) -> None:
        if not self.cells:
            return await self.opens_notebook()
        self.notebook_version += 1
        if often(self.choices, 5):
            gone, self.cells = self.cells, []
            params = {
                "notebookDocument": {"uri": NOTEBOOK},
                "cellTextDocuments": [{"uri": uri} for uri in gone],
            }
            return await self.tell("notebookDocument/didClose", params)
        change = self._splice() if often(self.choices, 2) else self._cell_edit()
        document = {"uri": NOTEBOOK, "version": self.notebook_version}
        return await self.tell(
            "notebookDocument/didChange", {"notebookDocument": document, "change": {"cells": change}}
        )

    def _splice(self) -> dict[str, Any]:
        start = self.choices.number(0, len(self.cells))
        gone = self.cells[start : start + self.choices.number(0, 2)]
        new = [self._new_cell() for _ in range(self.choices.number(0, 2))]
        self.cells[start : start + len(gone)] = new
        array = {
            "start": start,
            "deleteCount": len(gone),
            "cells": [{"kind": 2, "document": uri} for uri in new],
        }
        opened = [_cell_item(uri, program(self.choices)) for uri in new]
        return {"structure": {"array": array, "didOpen": opened, "didClose": [{"uri": uri} for uri in gone]}}

    def _cell_edit(self) -> dict[str, Any]:
        uri, text = one_of(self.choices, self.cells or [CELL.format(0)]), self.choices.text()
        document = {"uri": uri, "version": self.notebook_version + 1}
        return {"textContent": [{"document": document, "changes": [{"text": text}]}]}

    def _new_cell(self) -> str:
        self.cell_count += 1
        return CELL.format(self.cell_count)

    async def says_else(self) -> None:
        """Settings, files that changed, commands that nobody may give, and what does not exist."""
        match self.choices.number(0, 4):
            case 0:
                self.configured = True
                key = one_of(
                    self.choices,
                    ("select", "ignore", "delayMs", "severity", "targetTorch", "shapeHints", "nonsense"),
                )
                value = one_of(self.choices, (*VALUES[:-1], ["TW301"], {"TW301": "hint"}, "2.9", "9.9", 300))
                await self.tell("workspace/didChangeConfiguration", {"settings": {"torchwise": {key: value}}})
            case 1:
                uri = one_of(self.choices, (*FILES, "nonsense", f"{FOLDER}/torchwise.toml", FOLDER))
                changes = [{"uri": uri, "type": self.choices.number(1, 3)}]
                await self.tell("workspace/didChangeWatchedFiles", {"changes": changes})
            case 2:
                self.garbled = True
                await self.tell(
                    one_of(self.choices, ("$/unheardOf", "textDocument/didSave", "window/nothing")), None
                )
            case 3:
                self.garbled = True
                command = one_of(
                    self.choices,
                    ("torchwise.run", "torchwise.checkGraphBreaks", "rm -rf", "torchwise.lessons"),
                )
                given = {"command": command, "arguments": [one_of(self.choices, VALUES)]}
                name = f"c{self.count}"
                await self._send(
                    {"jsonrpc": "2.0", "id": name, "method": "workspace/executeCommand", "params": given}
                )
            case _:
                self.garbled = True
                await self._send(
                    {"jsonrpc": "2.0", "id": f"r{self.choices.number(1, 99)}", "result": None, "method": ""}
                )

    async def hurries(self) -> None:
        await asyncio.sleep(0.002)


ACTS = (
    *(
        Client.edits,
        Client.edits,
        Client.edits,
        Client.opens,
        Client.asks,
        Client.asks,
        Client.opens_notebook,
    ),
    *(Client.edits_notebook, Client.closes, Client.says_else, Client.hurries),
)


def answered(choices: Choices) -> None:
    asyncio.run(_answered(choices))


async def _answered(choices: Choices) -> None:
    async with Desk() as desk:
        client = Client(choices, desk)
        if often(choices, 10):  # before the greeting
            await client.says_else()
            client.garbled = True
        pulls = {"textDocument": {"diagnostic": {}}} if not often(choices, 4) else {}
        client.asked.append(client.count + 1)
        await client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": pulls})
        await client.tell("initialized", {})
        for _ in range(choices.number(1, MOST_MESSAGES)):
            await one_of(choices, ACTS)(client)
        await _all_is_well(client, desk)


async def _all_is_well(client: Client, desk: Desk) -> None:
    client.choices = _Calm()
    for uri in FILES:
        if uri in client.open and not client.open[uri].sure:
            await client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
            client.open[uri] = Mirror("import torch\n" + "x = torch.ones(2, 3).t().view(6)\n")
            await client._opened(uri)
    for number in client.asked:
        answer = await desk.answer(number)
        assert answer is not None, "the server has ended"
        code = answer.get("error", {}).get("code")
        assert code is None or code in NOT_NOW, answer
    for uri, mirror in client.open.items():
        await _knows(client, desk, uri, mirror)
    assert client.garbled or not desk.failed, desk.failed
    faults = [told["params"]["message"] for told in desk.told if told["method"] == "window/logMessage"]
    assert client.garbled or not faults, faults
    assert not any("Traceback" in fault for fault in faults), faults


async def _knows(client: Client, desk: Desk, uri: str, mirror: Mirror) -> None:
    """The server has the client's text, and says of it what an engine says that has seen nothing else."""
    answer = await desk.answer(await client.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}}))
    assert answer is not None and "result" in answer, answer
    snapshot = desk.server.snapshot_of(uri)
    assert snapshot is not None and snapshot.parts[None].text == mirror.text, "the texts differ"
    if client.configured or client.garbled:
        return
    engine = Engine()
    engine.set_text(snapshot.path, mirror.text)
    lines = lines_of(mirror.text)
    wanted = sorted(
        (found.code, found.at.span.row - 1, _length(lines[found.at.span.row - 1][: found.at.span.col]))
        for found in engine.findings(snapshot.path)
        if found.at.span.row <= len(lines)
    )
    items = [(item["code"], *item["range"]["start"].values()) for item in answer["result"]["items"]]
    said = sorted(item for item in items if item[1] < len(lines))
    assert said == wanted, (said, wanted)


class _Calm:
    """Decides for what is plain: nothing is garbled any more."""

    def number(self, least: int, most: int) -> int:
        return least

    def text(self) -> str:
        return ""


def _position(at: tuple[int, int]) -> dict[str, int]:
    return {"line": at[0], "character": at[1]}


def _cell_item(uri: str, text: str) -> dict[str, Any]:
    return {"uri": uri, "languageId": "python", "version": 1, "text": text}


def _is_text(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def garbled(choices: Choices, message: dict[str, Any]) -> bytes:
    """Cut off, or with something else in one place."""
    if often(choices, 4):
        whole = json.dumps(message).encode()
        return whole[: choices.number(1, len(whole))]
    holder: Any = message
    while True:
        keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = one_of(choices, keys)
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or often(choices, 3):
            break
        holder = inner
    if isinstance(holder, dict) and often(choices, 3):
        del holder[key]
    else:
        # a number might be that of another message, whose answer this one's would then be taken for
        holder[key] = one_of(choices, VALUES) if key != "id" else one_of(choices, ("other", None, [], 0.5))
    return json.dumps(message).encode()
