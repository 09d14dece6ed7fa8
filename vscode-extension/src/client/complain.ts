/** One message for a server that does not run, with what mends it. */
import * as vscode from "vscode";

let open = false;

export async function complain(what: string, bySetting: boolean): Promise<void> {
  if (open) return;
  open = true;
  const pick = vscode.l10n.t("Choose Interpreter");
  const drop = vscode.l10n.t("Use the Default");
  const log = vscode.l10n.t("Show Log");
  const chosen = await vscode.window.showErrorMessage(what, ...(bySetting ? [pick, drop, log] : [pick, log]));
  open = false;
  if (chosen === pick) await vscode.commands.executeCommand("torchwise.chooseInterpreter");
  if (chosen === drop) await forgetInterpreter();
  if (chosen === log) await vscode.commands.executeCommand("torchwise.showLog");
}

/** Wherever it is set. */
async function forgetInterpreter(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("torchwise", vscode.workspace.workspaceFolders?.[0]);
  const set = settings.inspect("interpreter");
  const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
  if (set?.workspaceFolderValue !== undefined) await settings.update("interpreter", undefined, WorkspaceFolder);
  if (set?.workspaceValue !== undefined) await settings.update("interpreter", undefined, Workspace);
  if (set?.globalValue !== undefined) await settings.update("interpreter", undefined, Global);
}
