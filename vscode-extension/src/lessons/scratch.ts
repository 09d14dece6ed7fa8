/** A snippet as a Python file of the reader's own, with what runs before it. */
import * as vscode from "vscode";
import { lessonOf, noteOf } from "./serializer";

export async function copyToScratch(given?: vscode.NotebookCell): Promise<void> {
  const cell = given ?? chosenCell();
  if (!cell) return;
  const content = scratch(cell);
  const document = await vscode.workspace.openTextDocument({ language: "python", content });
  await vscode.window.showTextDocument(document, { viewColumn: beside() });
}

/** Where other editors are already: a third column would leave each too narrow to read. */
function beside(): vscode.ViewColumn {
  const groups = vscode.window.tabGroups;
  const other = groups.all.find((group) => group !== groups.activeTabGroup);
  return other?.viewColumn ?? vscode.ViewColumn.Beside;
}

export function chosenCell(): vscode.NotebookCell | undefined {
  const editor = vscode.window.activeNotebookEditor;
  return editor?.notebook.getCells()[editor.selection.start];
}

/** What would stop before the snippet is left out. */
function scratch(cell: vscode.NotebookCell): string {
  const note = noteOf(cell);
  const lesson = lessonOf(cell.notebook);
  const before = note.program
    ? []
    : cell.notebook.getCells(new vscode.NotebookRange(0, cell.index)).filter((one) => {
        const { role, raises } = noteOf(one);
        return (
          one.kind === vscode.NotebookCellKind.Code &&
          role !== "start" &&
          role !== "solution" &&
          role !== "cuda" &&
          !raises
        );
      });
  return [...before, cell]
    .map((one) => `# ${lesson}#${noteOf(one).name ?? noteOf(one).program ?? ""}\n${one.document.getText().trim()}\n`)
    .join("\n");
}
