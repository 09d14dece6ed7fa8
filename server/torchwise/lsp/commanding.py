"""Commands with typed messages: how a request becomes a message, and an answer the wire's.

The messages are imported when the first command comes: a server that is only typed into never loads them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from torchwise.lsp.plain import plain
from torchwise.wire.command import Command

if TYPE_CHECKING:
    from torchwise.wire.message import Message

Handler = Callable[..., Coroutine[Any, Any, Any]]


def handler(command: Command, messages: str, answer: Callable[..., Coroutine[Any, Any, Message]]) -> Handler:
    """`messages`: the name of the module that has the request."""

    async def handle(*arguments: Any) -> Any:
        return wire(await answer(*_request(command, messages, arguments)))

    return handle


def _request(command: Command, messages: str, arguments: tuple[Any, ...]) -> list[Any]:
    """Raises JsonRpcInvalidParams, whose text holds nothing of what was sent."""
    if command.request is None:
        return []
    from pydantic import ValidationError

    model = getattr(importlib.import_module(messages), command.request)
    try:
        return [model.model_validate(plain(arguments[0]) if arguments else {})]
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in error.errors())
        raise JsonRpcInvalidParams(message=f"{command.full_name}: {wrong}") from None


def wire(message: Message) -> Any:
    return message.model_dump(mode="json", by_alias=True)
