"""Lessons, rules and notes for the panels of editors: commands with typed messages (`docs/protocol.md`).

Reading the course is done beside the event loop, and nothing of it is loaded before it is first asked for.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from torchwise.lessons.catalogue import COMMANDS
from torchwise.lsp.commanding import handler
from torchwise.lsp.server import Server

if TYPE_CHECKING:
    from torchwise.lessons.shelf import Shelf
    from torchwise.wire.message import Message

MESSAGES = "torchwise.lessons.messages"


def lessons(server: Server) -> None:
    reader = _Reader()
    for command in COMMANDS:
        server.command(command.full_name)(handler(command, MESSAGES, reader.answer(command.name)))


class _Reader:
    """Stateful: the course once it was read, for one reader at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    @functools.cached_property
    def _shelf(self) -> Shelf:
        from torchwise.lessons.shelf import Shelf

        return Shelf()

    def answer(self, name: str) -> Callable[..., Coroutine[Any, Any, Message]]:
        work = getattr(self, f"_{name}")

        async def answered(*request: Any) -> Message:
            async with self._turn:
                return await asyncio.to_thread(_or_error, work, *request)

        return answered

    def _list(self) -> Message:
        return self._shelf.list()

    def _show(self, request: Any) -> Message:
        return self._shelf.show(request.id)

    def _search(self, request: Any) -> Message:
        return self._shelf.search(request.text, request.most)

    def _progress(self, request: Any) -> Message:
        return self._shelf.note_progress(request.lesson, request.done, request.read)

    def _rulePage(self, request: Any) -> Message:
        from torchwise.lessons.rule_pages import rule_page
        from torchwise.report.pages import page

        return rule_page(request.rule, page)

    def _note(self, request: Any) -> Message:
        from torchwise.lessons.messages import NoteShown
        from torchwise.lessons.notes import full_name, markdown, note_of

        note = note_of(request.symbol)
        if note is None:
            return NoteShown(symbol=full_name(request.symbol))
        text = f"**{note.symbol}**\n\n{markdown(note)}"
        return NoteShown(symbol=note.symbol, markdown=text, lesson=note.lesson)


def _or_error(work: Callable[..., Message], *request: Any) -> Message:
    """What is not there is an error of the request."""
    from torchwise.lessons.course import NoCourse
    from torchwise.lessons.progress import CannotNote
    from torchwise.lessons.shelf import NotThere

    try:
        return work(*request)
    except (CannotNote, NoCourse, NotThere) as error:
        raise JsonRpcInvalidParams(message=str(error)) from None
