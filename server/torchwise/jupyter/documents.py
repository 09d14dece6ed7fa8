"""What a client has open, as it was told: enough to open it again in another server.

A document is a file or a whole notebook. The state is kept as the parameters of the `didOpen` that would make
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

Params = dict[str, Any]

OPENING = ("textDocument/didOpen", "notebookDocument/didOpen")
CHANGING = ("textDocument/didChange", "notebookDocument/didChange")
CLOSING = ("textDocument/didClose", "notebookDocument/didClose")
FOLLOWED = (*OPENING, *CHANGING, *CLOSING)


def subject(params: Any) -> str | None:
    """The address of the document that a message is about: its own, or that of one of a notebook's cells."""
    if not isinstance(params, dict):
        return None
    named = params.get("notebookDocument") or params.get("textDocument")
    uri = named.get("uri") if isinstance(named, dict) else None
    return uri if isinstance(uri, str) else None


class Opened:
    """Stateful: the document follows its changes. Clients send whole texts, never pieces."""

    def __init__(self, method: str, params: Params):
        self.method, self.params = method, deepcopy(params)

    @property
    def uri(self) -> str:
        return subject(self.params) or ""

    @property
    def is_notebook(self) -> bool:
        return "notebookDocument" in self.params

    def items(self) -> dict[str, Params]:
        """The texts in it, by their addresses."""
        items = self.params["cellTextDocuments"] if self.is_notebook else [self.params["textDocument"]]
        return {item["uri"]: item for item in items}

    def uris(self) -> Iterator[str]:
        return iter(self.items())

    def reads_as(self, other: Opened) -> bool:
        """Whatever the versions: each client counts its own."""
        return self._reading() == other._reading()

    def _reading(self) -> tuple[list[str], dict[str, str]]:
        cells = self.params["notebookDocument"]["cells"] if self.is_notebook else []
        texts = {uri: item["text"] for uri, item in self.items().items()}
        return [cell["document"] for cell in cells], texts

    def closing(self) -> tuple[str, Params]:
        if not self.is_notebook:
            return "textDocument/didClose", {"textDocument": {"uri": self.uri}}
        cells = [{"uri": uri} for uri in self.uris()]
        params = {"notebookDocument": {"uri": self.uri}, "cellTextDocuments": cells}
        return "notebookDocument/didClose", params

    def change(self, params: Params) -> None:
        if self.is_notebook:
            self._change_notebook(params)
        else:
            self._change_text(self.params["textDocument"], params["textDocument"], params["contentChanges"])

    def _change_notebook(self, params: Params) -> None:
        notebook = self.params["notebookDocument"]
        notebook["version"] = params["notebookDocument"]["version"]
        cells = params["change"].get("cells") or {}
        if structure := cells.get("structure"):
            array = structure["array"]
            start, end = array["start"], array["start"] + array["deleteCount"]
            notebook["cells"][start:end] = deepcopy(array.get("cells") or [])
            self._replace(structure.get("didOpen") or [], structure.get("didClose") or [])
        texts = self.items()
        for change in cells.get("textContent") or []:
            self._change_text(texts[change["document"]["uri"]], change["document"], change["changes"])

    def _replace(self, opened: list[Params], closed: list[Params]) -> None:
        gone = {item["uri"] for item in [*opened, *closed]}
        kept = [item for item in self.params["cellTextDocuments"] if item["uri"] not in gone]
        self.params["cellTextDocuments"] = kept + deepcopy(opened)

    def _change_text(self, item: Params, named: Params, changes: list[Params]) -> None:
        for change in changes:
            if "range" in change:
                raise ValueError("texts are sent whole")
            item["text"] = change["text"]
        item["version"] = named.get("version", item["version"])
