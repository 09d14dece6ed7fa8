"""Lenses over what is compiled."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.lsp.session import REAL, Session, capabilities, connected, range_of

TEXT = """\
import torch
from torch import nn


@torch.compile
def sharpen(scores):
    return scores / scores.std()


class Head(nn.Module):
    def forward(self, features):
        return features

    @torch.compile
    def scaled(self, features):
        return features * 2


def plain(features):
    return features


class Tail(nn.Module):
    def forward(self, features):
        return features


fast = torch.compile(Head())
tail = Tail()
tail.compile()
"""


def with_command() -> types.ClientCapabilities:
    can = capabilities()
    can.experimental = {"commands": {"commands": ["torchwise.checkGraphBreaks"]}}
    return can


async def lenses(session: Session, uri: str) -> list[types.CodeLens]:
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    return list(await session.client.text_document_code_lens_async(params) or [])


async def test_what_is_compiled_can_be_asked_about(tmp_path: Path) -> None:
    async with connected(tmp_path, with_command(), REAL) as session:
        uri = session.open("a.py", TEXT)
        found = await lenses(session, uri)
        commands = [lens.command for lens in found if lens.command]
        assert {command.command for command in commands} == {"torchwise.checkGraphBreaks"}
        assert [list(command.arguments or []) for command in commands] == [
            [{"uri": uri, "entry": name}] for name in ("sharpen", "Head", "Head.scaled", "Tail")
        ]
        assert found[0].range == range_of(5, 4, 5, 11)


async def test_a_client_without_the_command_gets_no_lens(tmp_path: Path) -> None:
    async with connected(tmp_path, command=REAL) as session:
        assert await lenses(session, session.open("a.py", TEXT)) == []
