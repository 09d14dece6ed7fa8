/** The lessons in the activity bar: modules, their lessons, the sections of each. */
import * as vscode from "vscode";
import type { LessonRow, ModuleRow, SectionRow } from "../../../docs/protocol";
import type { Course } from "./course";

export type Node =
  | { kind: "module"; module: ModuleRow }
  | { kind: "lesson"; lesson: LessonRow }
  | { kind: "section"; section: SectionRow; lesson: LessonRow };

export class LessonTree implements vscode.TreeDataProvider<Node> {
  readonly onDidChangeTreeData: vscode.Event<void>;

  constructor(private readonly course: Course) {
    this.onDidChangeTreeData = course.onDidChange;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!node) return (await this.course.list()).filter(hasLessons).map((module) => ({ kind: "module", module }));
    if (node.kind === "module") return node.module.lessons.map((lesson) => ({ kind: "lesson", lesson }));
    if (node.kind === "section") return [];
    return node.lesson.sections.map((section) => ({ kind: "section", section, lesson: node.lesson }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "module":
        return moduleItem(node.module);
      case "lesson":
        return lessonItem(node.lesson);
      case "section":
        return sectionItem(node.section, node.lesson);
    }
  }
}

function hasLessons(module: ModuleRow): boolean {
  return module.lessons.length > 0;
}

const { Collapsed, None } = vscode.TreeItemCollapsibleState;

function moduleItem(module: ModuleRow): vscode.TreeItem {
  const item = new vscode.TreeItem(`${Number.parseInt(module.id, 10)} ${module.title}`, Collapsed);
  const done = module.lessons.filter((lesson) => lesson.done).length;
  item.id = module.id;
  item.description = vscode.l10n.t("{0} of {1}", done, module.lessons.length);
  item.tooltip = module.goal;
  item.contextValue = "module";
  item.accessibilityInformation = {
    label: vscode.l10n.t("{0}, {1} of {2} lessons done", module.title, done, module.lessons.length),
  };
  return item;
}

function lessonItem(lesson: LessonRow): vscode.TreeItem {
  const item = new vscode.TreeItem(lesson.title, Collapsed);
  item.id = lesson.id;
  item.description = vscode.l10n.t("{0} min", lesson.minutes);
  item.tooltip = tooltip(lesson);
  item.iconPath = lesson.done
    ? new vscode.ThemeIcon("pass-filled", new vscode.ThemeColor("testing.iconPassed"))
    : new vscode.ThemeIcon("book");
  item.contextValue = lesson.done ? "lesson-done" : "lesson-open";
  item.command = opening(lesson.id);
  const state = lesson.done ? vscode.l10n.t("done") : vscode.l10n.t("not done");
  item.accessibilityInformation = { label: `${lesson.title}, ${lesson.minutes} min, ${state}` };
  return item;
}

function tooltip(lesson: LessonRow): vscode.MarkdownString {
  const counts = vscode.l10n.t("{0} snippets, {1} exercises", lesson.snippets, lesson.exercises);
  const needs = lesson.needs.length ? `\n\n${vscode.l10n.t("Read before: {0}", lesson.needs.join(", "))}` : "";
  return new vscode.MarkdownString(`**${lesson.title}**\n\n${lesson.goal}\n\n${counts}${needs}`);
}

function sectionItem(section: SectionRow, lesson: LessonRow): vscode.TreeItem {
  const item = new vscode.TreeItem(section.title, None);
  item.id = `${lesson.id}#${section.anchor}`;
  item.iconPath = new vscode.ThemeIcon(section.read ? "check" : "circle-outline");
  item.contextValue = "section";
  item.command = opening(lesson.id, section.anchor);
  return item;
}

function opening(id: string, anchor?: string): vscode.Command {
  return { command: "torchwise.openLesson", title: vscode.l10n.t("Open"), arguments: [id, anchor] };
}
