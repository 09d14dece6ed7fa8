/** Addresses of what is shown and is no file: lessons, rule pages, API notes. */
import * as vscode from "vscode";

export const SCHEME = "torchwise";

export function ruleUri(name: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/rules/${name}.torchwise-rule` });
}

export function noteUri(symbol: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/notes/${symbol}.torchwise-note` });
}

export function lessonUri(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/lessons/${id}.torchwise-lesson` });
}

export interface Page {
  kind: "rule" | "note" | "lesson";
  name: string;
}

/** What an address means, or undefined for one that is not ours. */
export function pageOf(uri: vscode.Uri): Page | undefined {
  const found =
    uri.scheme === SCHEME && /^\/(?:rules|notes|lessons)\/(.+)\.torchwise-(rule|note|lesson)$/.exec(uri.path);
  return found ? { kind: found[2] as Page["kind"], name: found[1] as string } : undefined;
}
