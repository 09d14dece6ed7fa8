/** What stands below an exercise: check the answer, show the solution, start over. */
import * as vscode from "vscode";
import { LESSON_TYPE, noteOf } from "./serializer";

export function exercises(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.notebooks.registerNotebookCellStatusBarItemProvider(LESSON_TYPE, { provideCellStatusBarItems: items }),
    vscode.commands.registerCommand("torchwise.showSolution", showSolution),
    vscode.commands.registerCommand("torchwise.startOver", startOver),
  );
}

function items(cell: vscode.NotebookCell): vscode.NotebookCellStatusBarItem[] {
  const note = noteOf(cell);
  const made: vscode.NotebookCellStatusBarItem[] = [];
  if (note.role === "start") {
    const check = `$(beaker) ${vscode.l10n.t("Check")}`;
    const solution = `$(lightbulb) ${vscode.l10n.t("Solution")}`;
    made.push(button(cell, check, vscode.l10n.t("Check my answer"), "torchwise.checkAnswer"));
    if (note.solution)
      made.push(button(cell, solution, vscode.l10n.t("Show the solution below"), "torchwise.showSolution"));
    made.push(button(cell, "$(discard)", vscode.l10n.t("Start over: take my changes back"), "torchwise.startOver"));
  }
  if (note.raises) made.push(label(vscode.l10n.t("raises {0}", note.raises.split(":")[0] ?? ""), note.raises));
  if (note.role === "cuda")
    made.push(label(vscode.l10n.t("needs CUDA"), vscode.l10n.t("The next snippet does the same without.")));
  return made;
}

/** Short, for in a column beside the code what has no room is cut off. */
function button(
  cell: vscode.NotebookCell,
  short: string,
  full: string,
  command: string,
): vscode.NotebookCellStatusBarItem {
  const item = new vscode.NotebookCellStatusBarItem(short, vscode.NotebookCellStatusBarAlignment.Left);
  item.command = { command, title: full, arguments: [cell] };
  item.tooltip = full;
  item.accessibilityInformation = { label: full, role: "button" };
  return item;
}

function label(text: string, tooltip: string): vscode.NotebookCellStatusBarItem {
  const item = new vscode.NotebookCellStatusBarItem(text, vscode.NotebookCellStatusBarAlignment.Right);
  item.tooltip = tooltip;
  return item;
}

/** As a cell below the exercise; the reader's own answer stays. */
async function showSolution(cell: vscode.NotebookCell): Promise<void> {
  const note = noteOf(cell);
  const next = cell.notebook.getCells()[cell.index + 1];
  if (!note.solution) return;
  if (next && noteOf(next).role === "solution") {
    reveal(next);
    return;
  }
  const data = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, note.solution, "python");
  data.metadata = { torchwise: { role: "solution", anchor: note.anchor, program: `${note.program}-solution` } };
  await edited(cell, vscode.NotebookEdit.insertCells(cell.index + 1, [data]));
  reveal(cell.notebook.cellAt(cell.index + 1));
}

/** It may stand below a long output. */
function reveal(cell: vscode.NotebookCell): void {
  const editor = vscode.window.visibleNotebookEditors.find((one) => one.notebook === cell.notebook);
  const range = new vscode.NotebookRange(cell.index, cell.index + 1);
  editor?.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
}

async function startOver(cell: vscode.NotebookCell): Promise<void> {
  const { start } = noteOf(cell);
  if (start === undefined) return;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(cell.document.uri, new vscode.Range(0, 0, cell.document.lineCount, 0), start);
  await vscode.workspace.applyEdit(edit);
}

async function edited(cell: vscode.NotebookCell, change: vscode.NotebookEdit): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.set(cell.notebook.uri, [change]);
  await vscode.workspace.applyEdit(edit);
}
