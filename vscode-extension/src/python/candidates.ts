/** The Pythons that may be meant, the likeliest first. In an untrusted workspace it has no say. */
import type { PythonExtension as Api } from "@vscode/python-extension";
import * as vscode from "vscode";
import { environmentsIn } from "./look";

export type Origin = "setting" | "extension" | "workspace" | "path";

export interface Candidate {
  command: string[];
  origin: Origin;
}

const EXTENSION = "ms-python.python";
const ON_PATH = process.platform === "win32" ? [["python"], ["py", "-3"]] : [["python3"], ["python"]];

export async function candidates(log: vscode.LogOutputChannel): Promise<Candidate[]> {
  const found: Candidate[] = [];
  if (vscode.workspace.isTrusted) {
    const set = fromSetting();
    if (set.length > 0) found.push({ command: set, origin: "setting" });
    const chosen = await fromExtension(log);
    if (chosen) found.push({ command: [chosen], origin: "extension" });
    const roots = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    found.push(...roots.flatMap(environmentsIn).map((path) => ({ command: [path], origin: "workspace" as const })));
  }
  found.push(...ON_PATH.map((command) => ({ command, origin: "path" as const })));
  return found;
}

export function fromSetting(): string[] {
  const root = vscode.workspace.workspaceFolders?.[0];
  const set = vscode.workspace.getConfiguration("torchwise", root).get<string[] | string>("interpreter", []);
  const parts = typeof set === "string" ? [set] : set;
  return parts.filter((part) => typeof part === "string" && part.trim()).map((part) => filledIn(part, root));
}

/** With the variables that other extensions for Python know. */
function filledIn(text: string, root?: vscode.WorkspaceFolder): string {
  const home = process.env.HOME ?? process.env.USERPROFILE ?? "~";
  return text
    .replace(/\$\{workspaceFolder(?::([^}]+))?\}/g, (whole, name?: string) => {
      const named = vscode.workspace.workspaceFolders?.find((folder) => folder.name === name);
      return (name ? named : root)?.uri.fsPath ?? whole;
    })
    .replace(/\$\{userHome\}|^~(?=[/\\])/g, home)
    .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => process.env[name] ?? "");
}

async function api(log: vscode.LogOutputChannel): Promise<Api | undefined> {
  if (!vscode.extensions.getExtension(EXTENSION)) return undefined;
  try {
    const { PythonExtension } = await import("@vscode/python-extension");
    return await PythonExtension.api();
  } catch (error) {
    log.warn(`the Python extension does not answer: ${error}`);
    return undefined;
  }
}

async function fromExtension(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const python = await api(log);
  if (!python) return undefined;
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  try {
    const active = python.environments.getActiveEnvironmentPath(root);
    const environment = await python.environments.resolveEnvironment(active);
    return environment?.executable.uri?.fsPath ?? active.path;
  } catch (error) {
    log.warn(`the Python extension has no environment: ${error}`);
    return undefined;
  }
}

export function hasPythonExtension(): boolean {
  return vscode.extensions.getExtension(EXTENSION) !== undefined;
}

/** Calls back when another environment is selected there. */
export async function onChosenElsewhere(log: vscode.LogOutputChannel, then: () => void): Promise<vscode.Disposable> {
  const python = await api(log);
  if (!python) return new vscode.Disposable(() => undefined);
  let last = "";
  return python.environments.onDidChangeActiveEnvironmentPath((event) => {
    if (event.path === last) return;
    last = event.path;
    then();
  });
}
