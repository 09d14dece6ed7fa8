/** The page of a rule, with buttons that run its two programs; and API notes. */
import * as vscode from "vscode";
import type { RulePage } from "../../../docs/protocol";
import type { Server } from "../client/server";
import type { Course } from "../lessons/course";
import type { Desk } from "../run/desk";
import { type DeviceShelf, label } from "../run/devices";
import { ending } from "../run/ending";
import { parts } from "../run/outputs";
import { noteUri, pageOf, ruleUri } from "./address";
import { escaped, frame } from "./frame";

interface Asked {
  do?: string;
  open?: string;
}

export class PageEditor implements vscode.CustomReadonlyEditorProvider {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly desk: Desk,
    private readonly shelf: DeviceShelf,
    private readonly course: Course,
  ) {}

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor(document: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const { webview } = panel;
    const media = vscode.Uri.joinPath(this.context.extensionUri, "media");
    webview.options = { enableScripts: true, localResourceRoots: [media] };
    const page = pageOf(document.uri);
    let rule: RulePage | undefined;
    webview.onDidReceiveMessage(async (asked: Asked) => {
      if (asked.open) await follow(asked.open);
      if (rule && (asked.do === "bad" || asked.do === "good")) await this.run(webview, rule, asked.do);
      if (rule?.lesson && asked.do === "lesson") await lesson(rule.lesson);
    });
    try {
      if (page?.kind === "rule") rule = await this.server.ask("torchwise.lessons.rulePage", { rule: page.name });
      const body = rule ? await this.ruleBody(rule) : await this.noteBody(page?.name ?? "");
      webview.html = frame(webview, this.context.extensionUri, "page", body);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const body = `<main><h1>${escaped(page?.name ?? "")}</h1><p>${escaped(why)}</p></main>`;
      webview.html = frame(webview, this.context.extensionUri, "page", body);
    }
  }

  private async noteBody(symbol: string): Promise<string> {
    const note = await this.server.ask("torchwise.lessons.note", { symbol });
    return `<main>${await html(note.markdown ?? vscode.l10n.t("Nothing is noted about {0}.", symbol))}</main>`;
  }

  private async run(webview: vscode.Webview, rule: RulePage, which: "bad" | "good"): Promise<void> {
    const device = this.shelf.chosen;
    const title = which === "bad" ? vscode.l10n.t("With the fault, on {0}") : vscode.l10n.t("Without it, on {0}");
    await webview.postMessage({ kind: "begin", title: title.replace("{0}", label(device)) });
    const file = await this.beside(rule);
    let silent = true;
    const asked = { code: rule[which], name: `${rule.name} (${which})`, firstRow: 1, device, lesson: true, file };
    const result = await this.desk.run(asked, (output) => {
      silent = false;
      void webview.postMessage({ kind: "part", parts: parts(output), clear: output.kind === "clear" });
    });
    const quiet =
      which === "bad" ? vscode.l10n.t("It ran to its end: this fault is silent.") : vscode.l10n.t("It ran to its end.");
    const text = ending(result) || (result.ended === "done" && silent ? quiet : `${result.seconds.toFixed(2)} s`);
    await webview.postMessage({ kind: "end", text, bad: result.ended !== "done" });
  }

  /** The modules that the programs import, in a folder of their own; the path that they stand beside. */
  private async beside(rule: RulePage): Promise<string | null> {
    const files = Object.entries(rule.files);
    if (files.length === 0) return null;
    const folder = vscode.Uri.joinPath(this.context.globalStorageUri, "rules", rule.name);
    for (const [name, text] of files) {
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), Buffer.from(text));
    }
    return vscode.Uri.joinPath(folder, "example.py").fsPath;
  }

  private async ruleBody(rule: RulePage): Promise<string> {
    const taught = await this.course.lesson(rule.lesson?.split("#")[0] ?? "").catch(() => undefined);
    return ruleHtml(rule, taught !== undefined);
  }
}

async function ruleHtml(rule: RulePage, taught: boolean): Promise<string> {
  const bad = vscode.l10n.t("Show it fail");
  const good = vscode.l10n.t("Show it fixed");
  const lesson = taught
    ? `<button class="second" data-do="lesson">${escaped(vscode.l10n.t("Open lesson"))}</button>`
    : "";
  const text = rule.markdown.replace(/\nLesson: \S+\s*$/, "\n");
  return `<main>${await html(text)}
<h2>${escaped(vscode.l10n.t("Run it"))}</h2>
<div class="buttons">
<button data-do="bad" data-runs="1">${escaped(bad)}</button>
<button data-do="good" data-runs="1">${escaped(good)}</button>
${lesson}
</div>
<div id="runs" role="log" aria-live="polite"></div>
</main>`;
}

function html(markdown: string): Thenable<string> {
  return vscode.commands.executeCommand<string>("markdown.api.render", markdown);
}

async function lesson(target: string): Promise<void> {
  const [id, anchor] = target.split("#");
  await vscode.commands.executeCommand("torchwise.openLesson", id, anchor);
}

/** A link of the page: to another page or lesson, or out of the editor. */
async function follow(href: string): Promise<void> {
  const [, kind, name = ""] = /^(rule|note|lesson):(.+)$/.exec(href) ?? [];
  if (kind === "lesson") return lesson(name);
  const uri = kind === "rule" ? ruleUri(name) : kind === "note" ? noteUri(name) : undefined;
  if (uri) await vscode.commands.executeCommand("vscode.open", uri);
  else if (/^https?:/.test(href)) await vscode.env.openExternal(vscode.Uri.parse(href));
}
