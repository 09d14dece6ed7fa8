/** What is said between editor and server, for a log: tokens of Jupyter servers are parameters, and no log holds one. */
import type * as vscode from "vscode";

export function withoutTokens(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  const trace = (text: string) => log.trace(hidden(text));
  return Object.create(log, { trace: { value: trace } });
}

export function hidden(text: string): string {
  return text.replace(/("token"\s*:\s*)"(?:[^"\\]|\\.)*"/g, '$1"…"');
}
