"""What pygls logs as trouble and is none: it happens to every client that types quickly."""

from __future__ import annotations

import logging

from lsprotocol import types


def demote_the_ordinary() -> None:
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_demoted)


def _demoted(record: logging.LogRecord) -> bool:
    if record.levelno > logging.DEBUG and _is_ordinary(record):
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        record.exc_info = None
        return logging.getLogger().isEnabledFor(logging.DEBUG)
    return True


def _is_ordinary(record: logging.LogRecord) -> bool:
    """A question that was given up when its answer was on the way, and one that an edit has overtaken."""
    error = record.exc_info[1] if record.exc_info else None
    overtaken = getattr(error, "code", None) == types.LSPErrorCodes.ServerCancelled
    return overtaken or str(record.msg).startswith("Cancel notification for unknown message id")
