"""Quick fixes, all safe fixes at once, and comments that silence a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from torchwise.findings import Edit, Finding
from torchwise.fixes.silence import silence
from torchwise.lsp.diagnostics import Found, found_in
from torchwise.lsp.edits import mended_edit, workspace_edit
from torchwise.lsp.server import Server
from torchwise.lsp.worker import Urgency

FIX_ALL = "source.fixAll.torchwise"
FIX_ALL_NOTEBOOK = "notebook.source.fixAll.torchwise"
QUICK_FIX = types.CodeActionKind.QuickFix.value
KINDS = [QUICK_FIX, FIX_ALL, FIX_ALL_NOTEBOOK]
OPTIONS = types.CodeActionOptions(code_action_kinds=KINDS, resolve_provider=True)

Actions = list[types.CodeAction]


def code_actions(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, OPTIONS)
    async def actions_at(params: types.CodeActionParams) -> Actions:
        snapshot = server.snapshot_of(params.text_document.uri)
        if snapshot is None:
            return []
        return await server.analysis.ask(Urgency.POINTED_AT, lambda: _actions(server, snapshot.path, params))

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        path = action.data.get("path") if isinstance(action.data, dict) else None
        if isinstance(path, str):
            action.edit = await server.analysis.ask(Urgency.POINTED_AT, lambda: mended_edit(server, path))
        return action


def _actions(server: Server, path: str, params: types.CodeActionParams) -> Actions:
    """On the engine's thread."""
    found, uri = found_in(server, path), params.text_document.uri
    if found is None:
        return []
    actions: Actions = []
    if _is_wanted(QUICK_FIX, params):
        for finding, diagnostic in _touched(found, uri, params.range):
            actions += _quick_fixes(server, found, finding, diagnostic)
    for kind in (FIX_ALL, FIX_ALL_NOTEBOOK):
        if _is_wanted(kind, params) and (kind == FIX_ALL or found.snapshot.cells is not None):
            actions += _fix_all(server, found, kind)
    return actions


def _is_wanted(kind: str, params: types.CodeActionParams) -> bool:
    """A kind that is asked for means all below it. A notebook's own is never meant by silence."""
    if params.context.only is None:
        return kind != FIX_ALL_NOTEBOOK
    return any(kind == only or kind.startswith(f"{only}.") for only in map(_text, params.context.only))


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _touched(found: Found, uri: str, where: types.Range) -> Iterator[tuple[Finding, types.Diagnostic]]:
    cell = found.snapshot.cell_of(uri)
    here = [finding for finding in found.findings if finding.at.cell == cell]
    for finding, diagnostic in zip(here, found.diagnostics.get(cell, [])):
        if diagnostic.range.start <= where.end and where.start <= diagnostic.range.end:
            yield finding, diagnostic


def _quick_fixes(
    server: Server, found: Found, finding: Finding, diagnostic: types.Diagnostic
) -> Iterator[types.CodeAction]:
    if finding.fix:
        title = finding.fix.title if finding.fix.safe else f"{finding.fix.title} (unsafe)"
        yield _quick_fix(server, title, finding.fix.edits, diagnostic, finding.fix.safe)
    line = _line(found, finding)
    comment = silence(finding, line)
    if comment and finding.code != "TW000" and not line.rstrip().endswith("\\"):
        yield _quick_fix(server, f"Ignore {finding.code} on this line", [comment], diagnostic, False)


def _line(found: Found, finding: Finding) -> str:
    lines = found.snapshot.parts[finding.at.cell].lines
    return lines[finding.at.span.row - 1] if finding.at.span.row <= len(lines) else ""


def _quick_fix(
    server: Server, title: str, edits: Sequence[Edit], diagnostic: types.Diagnostic, preferred: bool
) -> types.CodeAction:
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=preferred or None,
        edit=workspace_edit(server, edits),
    )


def _fix_all(server: Server, found: Found, kind: str) -> Iterator[types.CodeAction]:
    """Worked out when it is chosen, if the client can wait till then: clients ask at each move of the
    cursor.
    """
    if not any(finding.fix and finding.fix.safe for finding in found.findings):
        return
    path = found.snapshot.path
    later = "edit" in (server.capability("text_document.code_action.resolve_support.properties") or ())
    yield types.CodeAction(
        title="Fix all that Torchwise can fix safely",
        kind=kind,
        edit=None if later else mended_edit(server, path),
        data={"path": path} if later else None,
    )
