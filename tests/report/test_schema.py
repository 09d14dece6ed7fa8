"""The schema knows the settings that the reader of settings knows, and refuses what that refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from torchwise.project.settings import KEYS, Settings, SettingsError, override
from torchwise.report.schema import schema

PROPERTIES = json.loads(schema())["properties"]
KINDS = {"array": list, "object": dict, "string": str, "boolean": bool}
VALUES: tuple[object, ...] = (["TW1"], {"tests/**": ["TW301"]}, {"TW301": "hint"}, "2.9", True, 3, ["a", 1])


def test_every_setting_is_in_the_schema() -> None:
    assert PROPERTIES.keys() == KEYS.keys()
    assert all(known["description"] for known in PROPERTIES.values())


@pytest.mark.parametrize("key", KEYS)
def test_what_is_read_is_what_the_schema_allows(key: str) -> None:
    for value in VALUES:
        try:
            override(Settings(), {key: value}, "here")
        except SettingsError:
            continue
        assert allowed(PROPERTIES[key], value), value


def allowed(kind: Mapping[str, object], value: object) -> bool:
    """As far as the schema goes here: types, enumerations and what is inside."""
    if "anyOf" in kind:
        return any(allowed(each, value) for each in kind["anyOf"])  # type: ignore[attr-defined]
    if "enum" in kind:
        return value in kind["enum"]  # type: ignore[operator]
    inside = kind.get("items", kind.get("additionalProperties"))
    parts = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return isinstance(value, KINDS[kind["type"]]) and all(allowed(inside, part) for part in parts)  # type: ignore[index,arg-type]
