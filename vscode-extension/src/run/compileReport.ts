/** Asks Dynamo where a compiled function breaks, and lays what it says over what was inferred. */
import * as vscode from "vscode";
import type { CompileBreak, CompileReport } from "../../../docs/protocol";
import type { Server } from "../client/server";
import { told } from "./compileTold";
import { trusted } from "./desk";
import type { DeviceShelf } from "./devices";
import type { RunsView } from "./runsView";
import { serverOf } from "./tokens";

export interface Asked {
  uri: string;
  entry: string;
}

/** Stateful: what is laid over each file, until the file is changed. */
export class GraphBreaks implements vscode.Disposable {
  private readonly real = vscode.languages.createDiagnosticCollection("torchwise-real");
  private readonly listening: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly shelf: DeviceShelf,
    private readonly view: RunsView,
  ) {
    this.listening = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.contentChanges.length > 0) this.real.delete(event.document.uri);
    });
  }

  async check(asked?: Asked): Promise<void> {
    const chosen = asked ?? (await this.pick());
    if (!chosen || !(await trusted())) return;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(chosen.uri));
    if (document.isDirty) await document.save();
    let report = await this.ask(document.uri.fsPath, chosen.entry);
    if (report.problem) {
      const call = await this.askCall(chosen.entry, report.problem.what);
      if (!call) return;
      report = await this.ask(document.uri.fsPath, chosen.entry, call);
    }
    this.lay(document, report);
    await this.view.begin(vscode.l10n.t("torch.compile on {0}", report.entry));
    this.view.report(told(report));
  }

  private ask(path: string, entry: string, call?: string): Promise<CompileReport> {
    const title = vscode.l10n.t("Dynamo reads {0}", entry);
    const device = serverOf(this.shelf.chosen) ? "cpu" : this.shelf.chosen;
    const request = { path, entry, call: call ?? null, device, interpreter: this.server.interpreter };
    return Promise.resolve(
      vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
        this.server.ask("torchwise.kernel.compile", request),
      ),
    );
  }

  private askCall(entry: string, why: string): Thenable<string | undefined> {
    return vscode.window.showInputBox({
      title: vscode.l10n.t("How is {0} called?", entry),
      prompt: why,
      placeHolder: "torch.randn(2, 3), scale=2",
      ignoreFocusOut: true,
    });
  }

  private async pick(): Promise<Asked | undefined> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (!uri) return undefined;
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 100);
    const found = lenses.flatMap((lens) =>
      lens.command?.arguments?.[0]?.entry ? [lens.command.arguments[0] as Asked] : [],
    );
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      const placeHolder = vscode.l10n.t("What is compiled here");
      const row = await vscode.window.showQuickPick(
        found.map((asked) => ({ label: asked.entry, asked })),
        { placeHolder },
      );
      return row?.asked;
    }
    const entry = await vscode.window.showInputBox({
      title: vscode.l10n.t("Check graph breaks of a function or class of this file"),
    });
    return entry ? { uri: uri.toString(), entry } : undefined;
  }

  private lay(document: vscode.TextDocument, report: CompileReport): void {
    const here = report.breaks.filter((one) => one.path === null && one.row !== null);
    this.real.set(
      document.uri,
      here.map((one) => diagnostic(document, one)),
    );
  }

  dispose(): void {
    this.real.dispose();
    this.listening.dispose();
  }
}

function diagnostic(document: vscode.TextDocument, found: CompileBreak): vscode.Diagnostic {
  const line = document.lineAt(Math.min((found.row ?? 1) - 1, document.lineCount - 1));
  const start = line.firstNonWhitespaceCharacterIndex;
  const range = new vscode.Range(line.lineNumber, start, line.lineNumber, line.text.trimEnd().length);
  const what = found.skipped ? vscode.l10n.t("Dynamo leaves this function to Python: {0}", found.reason) : found.reason;
  const made = new vscode.Diagnostic(range, what, vscode.DiagnosticSeverity.Information);
  made.source = "torch.compile";
  made.relatedInformation = found.via.map((row) => {
    const at = new vscode.Location(document.uri, new vscode.Position(row - 1, 0));
    return new vscode.DiagnosticRelatedInformation(at, vscode.l10n.t("called here"));
  });
  return made;
}
