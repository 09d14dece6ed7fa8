"""JSON-RPC answers, and what the hub tells the language server that its pages can do."""

from __future__ import annotations

from typing import Any

from torchwise.jupyter.documents import Opened
from torchwise.jupyter.process import Message

INVALID = -32602
CONTENT_MODIFIED = -32801
REQUEST_FAILED = -32803

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {},
        "publishDiagnostics": {
            "versionSupport": True,
            "codeDescriptionSupport": True,
            "relatedInformation": True,
            "dataSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "inlayHint": {},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
            "isPreferredSupport": True,
            "dataSupport": True,
        },
    },
    "notebookDocument": {"synchronization": {}},
    "workspace": {
        "configuration": True,
        "inlayHint": {"refreshSupport": True},
        "workspaceEdit": {"documentChanges": True},
    },
}


def answer(number: Any, result: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def refusal(number: Any, code: int, text: str) -> Message:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}


def in_versions_of(opened: Opened, message: Any) -> Any:
    """An answer, with the versions of texts as this client counts them."""
    if isinstance(message, list):
        return [in_versions_of(opened, item) for item in message]
    if not isinstance(message, dict):
        return message
    item = opened.items().get(str(message.get("uri")))
    if item is not None and message.get("version") is not None:
        return {**message, "version": item["version"]}
    return {key: in_versions_of(opened, value) for key, value in message.items()}
