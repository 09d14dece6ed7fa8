/** The panel below the editor that shows what runs print: text and pictures, newest last. */
import * as vscode from "vscode";
import type { Output, RunResult } from "../../../docs/protocol";
import { frame } from "../pages/frame";
import { ending } from "./ending";
import { parts } from "./outputs";

const KEPT = 400; // messages, for a view that is opened again

type Message =
  | { kind: "begin"; title: string }
  | { kind: "part"; parts: ReturnType<typeof parts>; clear?: boolean; report?: boolean }
  | { kind: "end"; text: string; bad: boolean };

/** What was shown so far, in place of whatever the page shows: messages sent before it was ready may come late. */
type Again = { kind: "again"; messages: Message[] };

/** Stateful: what was shown, since a hidden view forgets. */
export class RunsView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private kept: Message[] = [];

  constructor(private readonly extension: vscode.Uri) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const body = `<main id="runs" role="log" aria-live="polite"></main>`;
    view.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.extension, "media")] };
    view.webview.onDidReceiveMessage((asked: { do?: string }) => {
      if (asked.do === "ready") void view.webview.postMessage({ kind: "again", messages: this.kept } satisfies Again);
    });
    view.onDidDispose(() => {
      this.view = undefined;
    });
    view.webview.html = frame(view.webview, this.extension, "runs", body);
  }

  async begin(title: string): Promise<void> {
    this.tell({ kind: "begin", title });
    await vscode.commands.executeCommand("torchwise.runs.focus", { preserveFocus: true });
  }

  show(output: Output): void {
    this.tell({ kind: "part", parts: parts(output), clear: output.kind === "clear" });
  }

  /** Read from its beginning. */
  report(text: string): void {
    this.tell({ kind: "part", parts: [{ mime: "text/plain", data: text }], report: true });
  }

  end(result: RunResult): void {
    const seconds = vscode.l10n.t("{0} s", result.seconds.toFixed(2));
    const bad = result.ended !== "done";
    this.tell({ kind: "end", text: ending(result) || seconds, bad });
  }

  private tell(message: Message): void {
    this.kept = [...this.kept, message].slice(-KEPT);
    void this.view?.webview.postMessage(message);
  }
}
