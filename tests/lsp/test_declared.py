"""The settings of the VS Code extension are those that the server reads."""

from __future__ import annotations

import json

from torchwise.lsp.declared import MANIFEST, manifest, properties
from torchwise.lsp.preferences import Configuration, Preferences, camel, preferences
from torchwise.project.settings import KEYS, Settings


def test_the_manifest_declares_what_is_generated() -> None:
    text = MANIFEST.read_text(encoding="utf-8")
    assert manifest(text) == text


def test_every_setting_of_the_server_is_declared() -> None:
    declared = properties().keys()
    assert {f"torchwise.{camel(name)}" for name in (*KEYS, *vars(Preferences()))} <= declared


def test_what_the_editor_fills_in_by_itself_changes_nothing() -> None:
    table = {name.removeprefix("torchwise."): row["default"] for name, row in properties().items()}
    table = json.loads(json.dumps(table))
    assert preferences(table) == Preferences()
    told: list[str] = []
    configuration = Configuration(("/w",), {"": table, "/w": table}, told.append)
    assert configuration.project_of("/w/a.py")[1] == Settings(root="/w")
    assert told == []
