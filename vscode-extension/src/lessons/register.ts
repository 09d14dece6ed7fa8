/** Lessons, rule pages and notes: their views, documents and commands. */
import * as vscode from "vscode";
import type { Server } from "../client/server";
import { PageEditor } from "../pages/pageEditor";
import { LessonControllers } from "../run/controllers";
import type { Desk } from "../run/desk";
import type { DeviceShelf } from "../run/devices";
import { Course } from "./course";
import { exercises } from "./exercises";
import { LessonFiles, registerFiles } from "./files";
import { FindingActions, openLessonFor, openRule } from "./findings";
import { lessonAt, openLesson } from "./open";
import { reading } from "./reading";
import { chosenCell, copyToScratch } from "./scratch";
import { searchLessons } from "./search";
import { LESSON_TYPE, LessonSerializer } from "./serializer";
import { LessonTree } from "./tree";

const PYTHON = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { scheme: "vscode-notebook-cell", language: "python" },
];

export function learning(
  context: vscode.ExtensionContext,
  server: Server,
  desk: Desk,
  shelf: DeviceShelf,
): vscode.Disposable {
  const course = new Course(server);
  const files = new LessonFiles(server, context.globalStorageUri);
  const actions = new FindingActions(server, course);
  const controllers = new LessonControllers(server, desk, shelf);
  const tree = vscode.window.createTreeView("torchwise.lessons", { treeDataProvider: new LessonTree(course) });
  const pages = new PageEditor(context, server, desk, shelf, course);
  return vscode.Disposable.from(
    tree,
    controllers,
    exercises(),
    reading(course),
    registerFiles(files),
    vscode.workspace.registerNotebookSerializer(LESSON_TYPE, new LessonSerializer(), { transientOutputs: true }),
    vscode.window.registerCustomEditorProvider("torchwise.page", pages, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.languages.registerCodeActionsProvider(PYTHON, actions, { providedCodeActionKinds: FindingActions.kinds }),
    commands(server, course, files, actions, controllers),
  );
}

function commands(
  server: Server,
  course: Course,
  files: LessonFiles,
  actions: FindingActions,
  controllers: LessonControllers,
): vscode.Disposable {
  const marked = (done: boolean) => async (at?: unknown) => {
    const lesson = lessonAt(at);
    if (lesson) await course.mark(lesson, done);
  };
  const open = (at?: unknown, anchor?: unknown) =>
    openLesson(course, at === undefined ? undefined : lessonAt(at), typeof anchor === "string" ? anchor : undefined);
  const rows: [string, (...given: never[]) => unknown][] = [
    ["openRule", (code?: string) => openRule(actions, code)],
    ["openLessonForFinding", (code?: string) => openLessonFor(actions, course, code)],
    ["openLesson", open],
    ["searchLessons", () => searchLessons(server, course)],
    ["refreshLessons", () => course.forget()],
    ["markDone", marked(true)],
    ["markNotDone", marked(false)],
    ["resetLesson", () => reset(files)],
    ["runSnippet", runSnippet],
    ["copyToScratch", (cell?: vscode.NotebookCell) => copyToScratch(cell)],
    ["checkAnswer", (cell?: vscode.NotebookCell) => check(controllers, cell)],
  ];
  return vscode.Disposable.from(
    ...rows.map(([name, does]) => vscode.commands.registerCommand(`torchwise.${name}`, does)),
  );
}

async function reset(files: LessonFiles): Promise<void> {
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  if (notebook?.notebookType !== LESSON_TYPE) return;
  if (notebook.isDirty) await notebook.save();
  await files.reset(notebook.uri);
}

async function runSnippet(): Promise<void> {
  const cell = chosenCell();
  if (!cell) {
    await vscode.commands.executeCommand("torchwise.openLesson");
    return;
  }
  const ranges = [{ start: cell.index, end: cell.index + 1 }];
  await vscode.commands.executeCommand("notebook.cell.execute", { ranges, document: cell.notebook.uri });
}

async function check(controllers: LessonControllers, given?: vscode.NotebookCell): Promise<void> {
  const cell = given ?? chosenCell();
  if (cell) await controllers.check(cell);
}
