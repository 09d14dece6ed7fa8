"""From bytes to text, as Python itself reads a file; but never failing."""

from __future__ import annotations

import codecs
import re

from torchwise.record import record

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_MARKS = (  # longest first; the mark is no part of the text
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@record
class Decoded:
    """`note` says what was wrong with the bytes; then some characters may be wrong too."""

    text: str
    encoding: str
    note: str | None = None


def decode(raw: bytes) -> str:
    return decoded(raw).text


def decoded(raw: bytes) -> Decoded:
    """By byte order mark, else by the coding comment of PEP 263, else as UTF-8."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _try(raw[len(mark) :], encoding)
    declared = declared_encoding(raw)
    return _try(raw, declared) if declared else _try(raw, "utf-8")


def declared_encoding(raw: bytes) -> str | None:
    """What the coding comment says; it stands in the first line, or in the second behind a blank or
    comment."""
    for line in re.split(rb"\r\n|\r|\n", raw[:1000], maxsplit=2)[:2]:
        if found := _COOKIE.match(line):
            return found.group(1).decode("ascii", "replace")
        if not _BLANK.match(line):
            return None
    return None


def _try(raw: bytes, encoding: str) -> Decoded:
    try:
        text = raw.decode(encoding)
        if isinstance(text, str):
            return Decoded(text, encoding)
        note = f"`{encoding}` is no encoding of text"
    except LookupError:
        note = f"unknown encoding `{encoding}`"
    except (UnicodeError, ValueError):
        note = f"not valid {encoding}"
    try:
        return Decoded(raw.decode("utf-8"), "utf-8", note)
    except UnicodeError:
        return Decoded(raw.decode("latin-1"), "latin-1", note)
