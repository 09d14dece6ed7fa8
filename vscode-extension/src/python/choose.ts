/** Asks for an interpreter, and keeps it in the settings of the workspace. */
import * as vscode from "vscode";
import { candidates, hasPythonExtension } from "./candidates";
import { isPython, look } from "./look";

interface Row extends vscode.QuickPickItem {
  command?: string[];
  browse?: boolean;
  elsewhere?: boolean;
}

export async function choose(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<void> {
  const row = await vscode.window.showQuickPick(rows(context, log), {
    title: vscode.l10n.t("Choose Interpreter"),
    placeHolder: vscode.l10n.t("The Python that Torchwise and your code run in"),
    matchOnDescription: true,
  });
  if (!row) return;
  if (row.elsewhere) {
    await set([]);
    await vscode.commands.executeCommand("python.setInterpreter");
  } else if (row.browse) {
    const [file] = (await vscode.window.showOpenDialog({ title: vscode.l10n.t("Choose Interpreter") })) ?? [];
    if (file) await set([file.fsPath]);
  } else if (row.command) {
    await set(row.command);
  }
}

async function rows(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Row[]> {
  const script = context.asAbsolutePath("python/look.py");
  const looked = await Promise.all((await candidates(log)).map((one) => look(one.command, script)));
  const found = new Map(looked.filter(isPython).map((python) => [python.executable, python]));
  const pythons: Row[] = [...found.values()].map((python) => ({
    label: `Python ${python.version}`,
    description: python.executable,
    detail: python.torch ? `torch ${python.torch}` : vscode.l10n.t("without torch"),
    command: [python.executable],
  }));
  const more: Row[] = [{ label: vscode.l10n.t("Browse…"), iconPath: new vscode.ThemeIcon("folder"), browse: true }];
  if (hasPythonExtension()) {
    more.unshift({ label: vscode.l10n.t("As selected in the Python extension…"), elsewhere: true });
  }
  return [...pythons, { label: "", kind: vscode.QuickPickItemKind.Separator }, ...more];
}

async function set(command: string[]): Promise<void> {
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  await vscode.workspace
    .getConfiguration("torchwise")
    .update("interpreter", command.length ? command : undefined, target);
}
