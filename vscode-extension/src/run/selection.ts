/** Runs the selected lines of a file, or all of it, on the kernel of a device. */
import * as path from "node:path";
import * as vscode from "vscode";
import { dedented } from "./dedented";
import type { Desk } from "./desk";
import { type DeviceShelf, label } from "./devices";
import type { RunsView } from "./runsView";

export async function runSelection(desk: Desk, view: RunsView, shelf: DeviceShelf, device?: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "python") {
    void vscode.window.showInformationMessage(vscode.l10n.t("Open a Python file, and select what to run."));
    return;
  }
  const { code, firstRow } = selected(editor);
  const { document } = editor;
  const file = document.uri.scheme === "file" ? document.uri.fsPath : null;
  const folder = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath ?? (file ? path.dirname(file) : null);
  const where = device ?? shelf.chosen;
  const name = vscode.workspace.asRelativePath(document.uri);
  const title = vscode.l10n.t("{0}, row {1}, on {2}", name, firstRow, label(where));
  await view.begin(title);
  const asked = { code, name, firstRow, device: where, file, folder };
  view.end(await desk.run(asked, (output) => view.show(output)));
}

/** Whole lines; all of them where nothing is selected. */
function selected(editor: vscode.TextEditor): { code: string; firstRow: number } {
  const { document, selection } = editor;
  if (selection.isEmpty) return { code: document.getText(), firstRow: 1 };
  const last = selection.end.character === 0 ? selection.end.line - 1 : selection.end.line;
  const range = new vscode.Range(selection.start.line, 0, last, document.lineAt(last).text.length);
  return { code: dedented(document.getText(range)), firstRow: selection.start.line + 1 };
}
