/** Between the kept text of a lesson and a notebook of VS Code. */
import * as vscode from "vscode";
import type { CellNote, Kept, KeptCell } from "./edition";

export const LESSON_TYPE = "torchwise-lesson";

export class LessonSerializer implements vscode.NotebookSerializer {
  deserializeNotebook(content: Uint8Array): vscode.NotebookData {
    const kept = parsed(content);
    const data = new vscode.NotebookData(kept.cells.map(cellData));
    const { cells, ...rest } = kept;
    data.metadata = rest;
    return data;
  }

  serializeNotebook(data: vscode.NotebookData): Uint8Array {
    const { lesson = "", title = "", edition = "" } = data.metadata ?? {};
    const cells = data.cells.map((cell): KeptCell => {
      const code = cell.kind === vscode.NotebookCellKind.Code;
      return {
        code,
        source: cell.value,
        note: cell.metadata?.torchwise ?? { role: code ? "snippet" : "text", anchor: "" },
      };
    });
    return new TextEncoder().encode(JSON.stringify({ lesson, title, edition, cells } satisfies Kept));
  }
}

function parsed(content: Uint8Array): Kept {
  const nothing: Kept = { lesson: "", title: "", edition: "", cells: [] };
  const text = new TextDecoder().decode(content);
  if (!text.trim()) return nothing;
  try {
    const kept = JSON.parse(text) as Kept;
    return Array.isArray(kept.cells) ? kept : nothing;
  } catch {
    throw new Error(vscode.l10n.t("This is no lesson: its text cannot be read."));
  }
}

function cellData(cell: KeptCell): vscode.NotebookCellData {
  const kind = cell.code ? vscode.NotebookCellKind.Code : vscode.NotebookCellKind.Markup;
  const data = new vscode.NotebookCellData(kind, cell.source, cell.code ? "python" : "markdown");
  data.metadata = { torchwise: cell.note };
  return data;
}

export function noteOf(cell: vscode.NotebookCell): CellNote {
  return cell.metadata.torchwise ?? { role: "snippet", anchor: "" };
}

export function lessonOf(notebook: vscode.NotebookDocument): string {
  return notebook.metadata.lesson ?? "";
}
