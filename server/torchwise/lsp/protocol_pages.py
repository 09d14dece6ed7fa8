"""The protocol for people and for TypeScript, from the messages themselves:
`python -m torchwise.lsp.protocol_pages [--check]`.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from torchwise.lessons import catalogue as lesson_catalogue
from torchwise.lessons import messages as lesson_messages
from torchwise.run import catalogue as run_catalogue
from torchwise.run import messages as run_messages
from torchwise.run.catalogue import TOLD_BY_CLIENT, TOLD_BY_SERVER
from torchwise.wire.message import Message

FOLDER = Path(__file__).parents[3] / "docs"
MADE = "made by `make gen` from the messages.py of server/torchwise/run and lessons"
COMMANDS = (*run_catalogue.COMMANDS, *lesson_catalogue.COMMANDS)
_PLAIN = {
    str: "string",
    SecretStr: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_REQUESTS = {command.request for command in COMMANDS} | {row.message for row in TOLD_BY_CLIENT}

INTRODUCTION = f"""# Beside LSP: running code, lessons, rules and notes

*{MADE.capitalize()}; `docs/protocol.ts` holds the same as types.*

Beside LSP the server offers commands (`workspace/executeCommand`, each with one argument) and tells what
happens by notifications. A client sends `torchwise/trust` when its user trusts the workspace; until then
every command that would run something answers that it is refused. A run ends in any case: by itself, by
`interrupt`, by its limits, or because its kernel or its server is gone.

Some clients (vscode-languageclient is one) register the names of these commands as their own, so those of an
extension have to be others. `$/cancelRequest` does not end a run; `interrupt` does.

Tokens of Jupyter servers belong in the editor's secret storage, and are sent with each request. Without one,
the server takes that of a Jupyter server of this user, or of `TORCHWISE_TOKEN` or `JUPYTER_TOKEN`. They stand
in no setting, log or message.

Lessons, rules and notes need no trust, since nothing is run: a client runs a snippet with the commands of
kernels. What is not there (a lesson of that id, a rule of that name, the extra that reads lessons) is an
error of the request, and its text can be shown.
"""


def models() -> Iterator[type[Message]]:
    """In the order of their files."""
    for module in (run_messages, lesson_messages):
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Message) and value is not Message:
                yield value


# -- TypeScript ----------------------------------------------------------------------------------------------


def typescript() -> str:
    parts = [f"// {MADE}; not to be edited.\n"]
    parts += [_interface(model) for model in models()]
    parts.append(f"export type Output = {_type(run_messages.Output)};\n")
    for name, rows in (("commands", run_catalogue.COMMANDS), ("lessonCommands", lesson_catalogue.COMMANDS)):
        parts.append(_table(name, [(row.name, f'"{row.full_name}"') for row in rows]))
    requests = [(f'"{row.full_name}"', f"[{row.request or 'null'}, {row.result}]") for row in COMMANDS]
    parts.append(_record("Commands", "command: [its request, its result]", requests))
    told = [(f'"{row.method}"', row.message) for row in (*TOLD_BY_SERVER, *TOLD_BY_CLIENT)]
    parts.append(_record("Notifications", "method: its message", told))
    return "\n".join(parts)


def _interface(model: type[Message]) -> str:
    lines = [f"/** {' '.join(_doc(model).split())} */"] if _doc(model) else []
    lines.append(f"export interface {model.__name__} {{")
    for name, field in model.model_fields.items():
        if field.description:
            lines.append(f"  /** {field.description} */")
        lines.append(f"  {_name(name, field)}{_mark(model, field)}: {_type(field.annotation)};")
    return "\n".join([*lines, "}", ""])


def _table(name: str, rows: list[tuple[str, str]]) -> str:
    return "\n".join(
        [f"export const {name} = {{", *(f"  {key}: {value}," for key, value in rows), "} as const;", ""]
    )


def _record(name: str, text: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"/** {text} */", f"export interface {name} {{", *(f"  {key}: {value};" for key, value in rows)]
    return "\n".join([*lines, "}", ""])


def _mark(model: type[Message], field: FieldInfo) -> str:
    """What has a default may be left out of a request; an answer holds everything."""
    return "?" if model.__name__ in _REQUESTS and not field.is_required() else ""


def _type(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(_type(part) for part in inner)
    if origin is Annotated:
        return _type(inner[0])
    if origin is list:
        element = _type(inner[0])
        return f"({element})[]" if " | " in element else f"{element}[]"
    if origin is dict:
        return f"Record<string, {_type(inner[1])}>"
    return _PLAIN.get(annotation) or str(annotation.__name__)


def _name(name: str, field: FieldInfo) -> str:
    return field.alias or name


def _doc(model: type[Message]) -> str:
    return (model.__doc__ or "").strip() if model.__doc__ != Message.__doc__ else ""


# -- for people ----------------------------------------------------------------------------------------------


def markdown() -> str:
    parts = [INTRODUCTION, "## Commands\n", "| command | takes | answers | |", "|---|---|---|---|"]
    for row in COMMANDS:
        takes = _link(row.request) if row.request else ""
        parts.append(f"| `{row.full_name}` | {takes} | {_link(row.result)} | {row.text} |")
    parts += ["\n## Notifications\n", "| method | from | message | |", "|---|---|---|---|"]
    for sender, rows in (("server", TOLD_BY_SERVER), ("client", TOLD_BY_CLIENT)):
        parts += [f"| `{row.method}` | {sender} | {_link(row.message)} | {row.text} |" for row in rows]
    parts.append("\n## Messages\n")
    parts += [_section(model) for model in models()]
    return "\n".join(parts)


def _section(model: type[Message]) -> str:
    lines = [f"### {model.__name__}\n"]
    if _doc(model):
        lines.append("\n".join(line.strip() for line in _doc(model).splitlines()) + "\n")
    lines += ["| field | type | |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        kind = _type(field.annotation).replace("|", "\\|")
        lines.append(f"| `{_name(name, field)}{_mark(model, field)}` | {kind} | {field.description or ''} |")
    return "\n".join([*lines, ""])


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def main(check: bool) -> int:
    stale = False
    for path, text in {FOLDER / "protocol.md": markdown(), FOLDER / "protocol.ts": typescript()}.items():
        if not path.exists() or path.read_text() != text:
            stale = True
            if check:
                print(f"docs/{path.name} is not what `make gen` writes")
            else:
                path.write_text(text)
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
