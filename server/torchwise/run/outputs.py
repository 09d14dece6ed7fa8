"""From the messages of the Jupyter protocol to what we show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchwise.run.cleaning import clean_html, clean_svg
from torchwise.run.kernel import NOTICE
from torchwise.run.messages import Cleared, Display, Failure, Notice, Output, Stream
from torchwise.run.tracebacks import Snippets, failure

# The richest first. `application/javascript`, widgets and the like are never shown: their plain text is.
_FORMATS = [
    ("image/png", "png"),
    ("image/jpeg", "jpeg"),
    ("image/svg+xml", "svg"),
    ("text/html", "html"),
    ("text/markdown", "markdown"),
    ("text/latex", "latex"),
]
_CLEANED = {"svg": clean_svg, "html": clean_html}


def output(kind: str, content: Mapping[str, Any], snippets: Snippets) -> Output | None:
    """None for what is not shown."""
    match kind:
        case "stream":
            text = _text(content.get("text"))
            return Stream(name="stderr" if content.get("name") == "stderr" else "stdout", text=text)
        case "display_data" | "update_display_data" | "execute_result":
            return _display(kind, content)
        case "error":
            return _failure(content, snippets)
        case "clear_output":
            return Cleared(wait=bool(content.get("wait")))
        case _ if kind == NOTICE:
            return Notice.model_validate(content)
        case _:
            return None


def _display(kind: str, content: Mapping[str, Any]) -> Display | None:
    bundle = content.get("data") or {}
    plain = _text(bundle.get("text/plain"))
    shown: tuple[Any, str] = ("text", plain)
    for mime, name in _FORMATS:
        if mime in bundle:
            body = _text(bundle[mime])
            body = _CLEANED[name](body) if name in _CLEANED else body.strip()
            if body:
                shown = (name, body)
                break
    if not shown[1]:
        return None
    transient = content.get("transient") or {}
    return Display(
        format=shown[0],
        content=shown[1],
        text=plain,
        result=kind == "execute_result",
        display_id=transient.get("display_id"),
        update=kind == "update_display_data",
    )


def _failure(content: Mapping[str, Any], snippets: Snippets) -> Failure:
    found = failure(content, snippets)
    if found.name == "StdinNotImplementedError":
        text = "nothing can be typed in here: put the value that `input()` should give into the code"
        return found.model_copy(
            update={"message": text, "text": _with_last_line(found.text, f"{found.name}: {text}")}
        )
    return found


def _with_last_line(text: str, line: str) -> str:
    return "\n".join([*text.splitlines()[:-1], line])


def _text(value: Any) -> str:
    """A notebook's text may come in lines."""
    if isinstance(value, list):
        return "".join(map(str, value))
    return value if isinstance(value, str) else ""
