/** Runs a file, and shows behind each assignment what tensor it bound. */
import * as vscode from "vscode";
import type { TracedRow } from "../../../docs/protocol";
import type { Server } from "../client/server";
import { trusted } from "./desk";
import { type DeviceShelf, label, sentence } from "./devices";

const CONTEXT = "torchwise.realShapes";
const MOST = 3; // forms of one row that are shown

/** Stateful: which files show theirs, until they are changed. */
export class RealShapes implements vscode.Disposable {
  private readonly look = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor("editorInlayHint.foreground"), margin: "0 0 0 2em", fontStyle: "italic" },
  });
  private readonly shown = new Map<string, vscode.DecorationOptions[]>();
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly shelf: DeviceShelf,
  ) {
    this.listening = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.contentChanges.length > 0 && this.shown.delete(event.document.uri.toString())) this.draw();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    );
  }

  async show(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== "python" || document.uri.scheme !== "file") {
      void vscode.window.showInformationMessage(vscode.l10n.t("Open a Python file: it is run to see its shapes."));
      return;
    }
    if (!(await trusted())) return;
    if (document.isDirty) await document.save();
    const device = this.shelf.chosen;
    const title = vscode.l10n.t("Running {0} on {1}", vscode.workspace.asRelativePath(document.uri), label(device));
    const request = { path: document.uri.fsPath, device, interpreter: this.server.interpreter };
    const traced = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      this.server.ask("torchwise.kernel.trace", request),
    );
    if (traced.problem) void vscode.window.showErrorMessage(sentence(traced.problem));
    if (traced.error) void vscode.window.showWarningMessage(vscode.l10n.t("The file stopped: {0}", traced.error));
    this.shown.set(document.uri.toString(), decorations(document, traced.rows));
    this.draw();
  }

  clear(): void {
    this.shown.clear();
    this.draw();
  }

  private draw(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT, this.shown.size > 0);
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.look, this.shown.get(editor.document.uri.toString()) ?? []);
    }
  }

  dispose(): void {
    this.look.dispose();
    this.listening.dispose();
  }
}

function decorations(document: vscode.TextDocument, rows: readonly TracedRow[]): vscode.DecorationOptions[] {
  const byRow = new Map<number, string[]>();
  for (const row of rows) {
    const texts = byRow.get(row.row) ?? [];
    byRow.set(row.row, [...texts, shape(row)]);
  }
  return [...byRow].flatMap(([row, texts]) => {
    if (row > document.lineCount) return [];
    const end = document.lineAt(row - 1).range.end;
    const more = texts.length > MOST ? ` · +${texts.length - MOST}` : "";
    const contentText = `⇒ ${texts.slice(0, MOST).join(" · ")}${more}`;
    return [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText } }, hoverMessage: texts }];
  });
}

function shape(row: TracedRow): string {
  const grad = row.requiresGrad ? " grad" : "";
  const device = row.device === "cpu" ? "" : ` ${row.device}`;
  return `${row.name}: ${short(row.dtype)}[${row.shape.join(", ")}]${device}${grad}`;
}

/** As the hints beside it write them: `f32`, `i64`, `bf16`. */
function short(dtype: string): string {
  return dtype.replace("torch.", "").replace(/^(b?)(f|i|u|c)(?:loat|nt|int|omplex)(\d+)$/, "$1$2$3");
}
