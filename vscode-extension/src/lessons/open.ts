/** Opens a lesson beside the code, at a section. */
import * as vscode from "vscode";
import { lessonUri } from "../pages/address";
import type { Course } from "./course";
import { LESSON_TYPE, lessonOf, noteOf } from "./serializer";

export async function openLesson(course: Course, id?: string, anchor?: string): Promise<void> {
  const chosen = id ?? (await pick(course));
  if (!chosen) return;
  const document = await vscode.workspace.openNotebookDocument(lessonUri(chosen));
  const editor = await vscode.window.showNotebookDocument(document, { viewColumn: column(), preview: false });
  if (!anchor) return;
  const cell = document.getCells().find((one) => noteOf(one).anchor === anchor);
  if (!cell) return;
  const range = new vscode.NotebookRange(cell.index, cell.index + 1);
  editor.selections = [range];
  editor.revealRange(range, vscode.NotebookEditorRevealType.AtTop);
}

/** Where a lesson is already; else beside the code; else here. */
function column(): vscode.ViewColumn {
  const shown = vscode.window.visibleNotebookEditors.find((editor) => editor.notebook.notebookType === LESSON_TYPE);
  if (shown?.viewColumn) return shown.viewColumn;
  return vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}

async function pick(course: Course): Promise<string | undefined> {
  const modules = await course.list();
  const rows = modules.flatMap((module) =>
    module.lessons.map((lesson) => ({
      label: `${lesson.done ? "$(pass-filled)" : "$(book)"} ${lesson.title}`,
      description: module.title,
      detail: lesson.goal,
      id: lesson.id,
    })),
  );
  const title = vscode.l10n.t("Open Lesson");
  return (await vscode.window.showQuickPick(rows, { title, matchOnDescription: true, matchOnDetail: true }))?.id;
}

/** The lesson in front, or that of an argument of a menu. */
export function lessonAt(argument?: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  const node = argument as { lesson?: { id?: string } } | undefined;
  if (node?.lesson?.id) return node.lesson.id;
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  return notebook?.notebookType === LESSON_TYPE ? lessonOf(notebook) : undefined;
}
