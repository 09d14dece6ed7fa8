"""Numbers, strings and the other constants."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from torchwise.ir.lower.builder import DEEP, Builder, arg
from torchwise.ir.lower.tables import EXPRESSIONS, expression
from torchwise.ir.nodes import Build, Ref
from torchwise.syntax.parser import Node, kind, kinds

NUMBERS = kinds("integer") | kinds("float")
STRING = kind("string")
_INTERPOLATION, _SPECIFIER, _NESTED = (
    kind("interpolation"),
    kind("format_specifier"),
    kind("format_expression"),
)
_PREFIX = re.compile(r"([A-Za-z]*)('''|\"\"\"|'|\")")
_ESCAPE = re.compile(
    r"\\(?:(\r?\n)|([\\'\"abfnrtv])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^{}\\]+)\})"
)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@lru_cache(64)
def _letters(prefix: str) -> frozenset[str]:
    return frozenset(prefix)


@lru_cache(4096)
def number(text: str) -> int | float | complex | None:
    """None for what Python 3 does not take, such as `010` and `10L`."""
    try:
        if text[-1] in "jJ":
            return complex(text)
        return int(text, 0)
    except ValueError:
        pass
    try:
        return None if text.isdigit() else float(text)
    except ValueError:
        return None


@expression("integer", "float")
def numeral(b: Builder, node: Node) -> Ref:
    value = number(b.read(node))
    return b.opaque(node) if value is None else b.constant(node, value)


@expression("none")
def none(b: Builder, node: Node) -> Ref:
    return b.constant(node, None)


@expression("true")
def true(b: Builder, node: Node) -> Ref:
    return b.constant(node, True)


@expression("false")
def false(b: Builder, node: Node) -> Ref:
    return b.constant(node, False)


@expression("ellipsis")
def ellipsis(b: Builder, node: Node) -> Ref:
    return b.constant(node, ...)


@expression("string")
def string(b: Builder, node: Node) -> Ref:
    prefix, value = string_value(b.text(node))
    if prefix.isdisjoint("ft"):
        return b.opaque(node) if value is None else b.constant(node, value)
    return _built(b, node, _interpolated(b, node), _texts(b, node))


@expression("concatenated_string")
def concatenated(b: Builder, node: Node) -> Ref:
    parts = [child for child in node.children if child.kind_id == STRING]
    value = plain_string(b, node)
    if value is not None:
        return b.constant(node, value)
    items: list[Ref] = []
    for part in parts:
        if not string_value(b.text(part))[0].isdisjoint("ft"):
            items += _interpolated(b, part)
    return _built(b, node, items)


def plain_string(b: Builder, node: Node) -> str | bytes | None:
    """The value of a string or of a row of strings; None where something is interpolated or the kinds are
    mixed."""
    parts = (
        [node] if node.kind_id == STRING else [child for child in node.children if child.kind_id == STRING]
    )
    texts: list[str] = []
    encoded: list[bytes] = []
    for part in parts:
        prefix, value = string_value(b.text(part))
        if value is None or not prefix.isdisjoint("ft"):
            return None
        if isinstance(value, str):
            texts.append(value)
        else:
            encoded.append(value)
    if not encoded:
        return "".join(texts)
    return None if texts else b"".join(encoded)


def _built(b: Builder, node: Node, items: list[Ref], texts: tuple[str, ...] = ()) -> Ref:
    ref = b.place(node)
    whole = texts if len(texts) == len(items) + 1 else ()
    b.out.append(Build(ref, "string", tuple([arg(item) for item in items]), whole))
    return ref


def _texts(b: Builder, node: Node) -> tuple[str, ...]:
    """What stands between the interpolations of an f-string; () where anything is formatted or escaped."""
    texts = [""]
    for child in node.children[1:-1]:
        if child.kind_id == _INTERPOLATION:
            if child.child_count != 3:
                return ()
            texts.append("")
        else:
            text = b.text(child)
            if any(sign in text for sign in "\\{}"):
                return ()
            texts[-1] += text
    return tuple(texts)


def _interpolated(b: Builder, node: Node) -> list[Ref]:
    """The values inside a formatted string, those in format specifiers included, in order."""
    items: list[Ref] = []
    for child in node.children:
        if child.kind_id == _INTERPOLATION or child.kind_id == _NESTED:
            inner = [part for part in child.children if EXPRESSIONS[part.kind_id] is not None]
            items += [b.value(part) for part in inner if part.kind_id not in _FORMATTING]
        if child.kind_id in (_INTERPOLATION, _SPECIFIER, _NESTED) and b.depth <= DEEP:
            b.depth += 1
            items += _specified(b, child)
            b.depth -= 1
    return items


def _specified(b: Builder, node: Node) -> list[Ref]:
    items: list[Ref] = []
    for child in node.children:
        if child.kind_id == _SPECIFIER:
            items += _interpolated(b, child)
    return items


_FORMATTING = kinds("format_specifier") | kinds("type_conversion")


def string_value(text: str) -> tuple[frozenset[str], str | bytes | None]:
    """The letters before the quotes, and the value of the literal; None where an escape is wrong."""
    return _short_string(text) if len(text) < 40 else _string_value(text)


def _string_value(text: str) -> tuple[frozenset[str], str | bytes | None]:
    start = _PREFIX.match(text)
    if not start:
        return frozenset(), None
    prefix = _letters(start.group(1).lower())
    quotes = start.group(2)
    content = text[start.end() : len(text) - len(quotes)]
    if "\r" in content:
        content = content.replace("\r\n", "\n")
    if "\\" in content and "r" not in prefix:
        try:
            content = _ESCAPE.sub(_unescape_bytes if "b" in prefix else _unescape, content)
        except (KeyError, ValueError, OverflowError):
            return prefix, None
    if "b" not in prefix:
        return prefix, content
    try:
        return prefix, content.encode("latin-1")
    except UnicodeEncodeError:
        return prefix, None


_short_string = lru_cache(4096)(_string_value)


def _unescape(found: re.Match[str]) -> str:
    newline, simple, octal, byte, short, long, name = found.groups()
    if newline:
        return ""
    if simple:
        return _SIMPLE.get(simple, simple)
    if octal:
        return chr(int(octal, 8))
    if name:
        return unicodedata.lookup(name)
    return chr(int(byte or short or long, 16))


def _unescape_bytes(found: re.Match[str]) -> str:
    """Bytes know no `\\u`, `\\U` and `\\N`."""
    newline, simple, octal, byte, *_ = found.groups()
    if newline:
        return ""
    if simple:
        return _SIMPLE.get(simple, simple)
    if octal:
        return chr(int(octal, 8) & 255)
    return chr(int(byte, 16)) if byte else found.group()
