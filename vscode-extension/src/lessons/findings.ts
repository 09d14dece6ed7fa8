/** From a finding to its page and its lesson: actions of the light bulb, and commands. */
import * as vscode from "vscode";
import type { RulePage } from "../../../docs/protocol";
import type { Server } from "../client/server";
import { ruleUri } from "../pages/address";
import type { Course } from "./course";
import { openLesson } from "./open";

const SOURCE = "torchwise";
const MOST = 4; // rules that one place is told of

export class FindingActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];
  private readonly pages = new Map<string, Promise<RulePage | undefined>>();

  constructor(
    private readonly server: Server,
    private readonly course: Course,
  ) {
    server.onDidChange(() => this.pages.clear());
  }

  async provideCodeActions(_: vscode.TextDocument, __: vscode.Range, context: vscode.CodeActionContext) {
    const codes = [...new Set(context.diagnostics.map(codeOf).filter((code) => code !== undefined))].slice(0, MOST);
    const found = await Promise.all(codes.map((code) => this.actions(code, context.diagnostics)));
    return found.flat();
  }

  private async actions(code: string, diagnostics: readonly vscode.Diagnostic[]): Promise<vscode.CodeAction[]> {
    const about = diagnostics.filter((one) => codeOf(one) === code);
    const page = await this.page(code);
    if (!page) return [];
    const explain = action(vscode.l10n.t("Explain {0}", code), "torchwise.openRule", page.name, about);
    if (!(await this.course.lesson(page.lesson?.split("#")[0] ?? ""))) return [explain];
    return [explain, action(vscode.l10n.t("Open lesson for {0}", code), "torchwise.openLessonForFinding", code, about)];
  }

  page(code: string): Promise<RulePage | undefined> {
    const known =
      this.pages.get(code) ?? this.server.ask("torchwise.lessons.rulePage", { rule: code }).catch(() => undefined);
    this.pages.set(code, known);
    return known;
  }
}

function action(title: string, command: string, code: string, about: vscode.Diagnostic[]): vscode.CodeAction {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.command = { command, title, arguments: [code] };
  made.diagnostics = about;
  return made;
}

export function codeOf(diagnostic: vscode.Diagnostic): string | undefined {
  if (diagnostic.source !== SOURCE) return undefined;
  const { code } = diagnostic;
  const value = typeof code === "object" ? code.value : code;
  return value === undefined || value === "TW000" ? undefined : String(value);
}

/** The nearest finding to the cursor: on its line if there is one. */
function nearest(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const line = editor.selection.active.line;
  const found = vscode.languages
    .getDiagnostics(editor.document.uri)
    .filter((one) => codeOf(one))
    .sort((a, b) => Math.abs(a.range.start.line - line) - Math.abs(b.range.start.line - line));
  return found[0] && codeOf(found[0]);
}

export async function openLessonFor(actions: FindingActions, course: Course, given?: string): Promise<void> {
  const code = given ?? nearest();
  if (!code) {
    void vscode.window.showInformationMessage(vscode.l10n.t("There is no finding in this file."));
    return;
  }
  const page = await actions.page(code);
  const [id, anchor] = (page?.lesson ?? "").split("#");
  if (id && (await course.lesson(id))) {
    await openLesson(course, id, anchor);
    return;
  }
  await openRule(actions, code);
}

/** By name, so that a page has one tab whether its code or its name led there. */
export async function openRule(actions: FindingActions, given?: string): Promise<void> {
  const title = vscode.l10n.t("Open Rule Page");
  const placeHolder = "view-on-non-contiguous, TW301";
  const rule = given ?? nearest() ?? (await vscode.window.showInputBox({ title, placeHolder }));
  if (!rule) return;
  const uri = ruleUri((await actions.page(rule))?.name ?? rule);
  await vscode.commands.executeCommand("vscode.openWith", uri, "torchwise.page", vscode.ViewColumn.Beside);
}
