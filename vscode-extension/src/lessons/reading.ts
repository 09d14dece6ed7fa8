/** Notes which sections were read: those that the reader has scrolled past. */
import * as vscode from "vscode";
import type { Course } from "./course";
import { LESSON_TYPE, lessonOf, noteOf } from "./serializer";

const PAUSE_MS = 1500;
const CONTEXT = "torchwise.lessonDone";

export function reading(course: Course): vscode.Disposable {
  const noted = new Set<string>();
  let waiting: NodeJS.Timeout | undefined;
  const seen = (editor: vscode.NotebookEditor) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void note(course, editor, noted), PAUSE_MS);
  };
  const front = async () => {
    const notebook = vscode.window.activeNotebookEditor?.notebook;
    const lesson = notebook?.notebookType === LESSON_TYPE ? await course.lesson(lessonOf(notebook)) : undefined;
    await vscode.commands.executeCommand("setContext", CONTEXT, lesson?.done ?? false);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeNotebookEditorVisibleRanges(({ notebookEditor }) => {
      if (notebookEditor.notebook.notebookType === LESSON_TYPE) seen(notebookEditor);
    }),
    vscode.window.onDidChangeActiveNotebookEditor(() => void front()),
    course.onDidChange(() => void front()),
    new vscode.Disposable(() => clearTimeout(waiting)),
  );
}

async function note(course: Course, editor: vscode.NotebookEditor, noted: Set<string>): Promise<void> {
  const lesson = lessonOf(editor.notebook);
  const end = Math.max(0, ...editor.visibleRanges.map((range) => range.end));
  const cells = editor.notebook.getCells();
  const after = new Set(cells.slice(end).map((cell) => noteOf(cell).anchor));
  for (const anchor of new Set(cells.slice(0, end).map((cell) => noteOf(cell).anchor))) {
    if (!anchor || after.has(anchor) || noted.has(`${lesson}#${anchor}`)) continue;
    noted.add(`${lesson}#${anchor}`);
    await course.noteRead(lesson, anchor).catch(() => undefined);
  }
}
