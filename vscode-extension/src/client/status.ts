/** The language status: what the server does, and for which torch. */
import * as vscode from "vscode";
import type { Server } from "./server";
import type { State } from "./state";

const WHERE = [{ language: "python" }, { notebookType: "jupyter-notebook" }, { notebookType: "torchwise-lesson" }];

export function status(server: Server): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem("torchwise.status", WHERE);
  item.name = "Torchwise";
  const draw = (state: State) => {
    item.busy = state.kind === "starting";
    item.severity =
      state.kind === "failed" ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    item.text = text(state);
    item.detail = detail(state);
    item.command =
      state.kind === "failed"
        ? { command: "torchwise.chooseInterpreter", title: vscode.l10n.t("Choose Interpreter") }
        : { command: "torchwise.showLog", title: vscode.l10n.t("Show Log") };
  };
  draw(server.state);
  return vscode.Disposable.from(item, server.onDidChange(draw));
}

function text(state: State): string {
  switch (state.kind) {
    case "running":
      return `Torchwise ${state.version}`;
    case "starting":
      return vscode.l10n.t("Torchwise starts");
    case "failed":
      return vscode.l10n.t("Torchwise does not run");
    case "stopped":
      return vscode.l10n.t("Torchwise is stopped");
  }
}

function detail(state: State): string {
  if (state.kind === "failed") return state.what;
  if (state.kind !== "running") return "";
  const { torch, executable } = state.selected.environment;
  const restricted = vscode.workspace.isTrusted ? "" : ` · ${vscode.l10n.t("analysis only")}`;
  return `${torch ? `torch ${torch}` : vscode.l10n.t("no torch")} · ${executable}${restricted}`;
}
