/** Between server and editor: the code of a finding leads to its page in the editor. */
import type * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { ruleUri } from "../pages/address";

type Report = vscode.Diagnostic[];

export function middleware(): Middleware {
  return {
    handleDiagnostics: (uri, diagnostics, next) => next(uri, linked(diagnostics)),
    provideDiagnostics: async (document, previous, token, next) => {
      const report = await next(document, previous, token);
      if (report && "items" in report) linked(report.items as Report);
      return report;
    },
    provideWorkspaceDiagnostics: (previous, token, tell, next) =>
      next(previous, token, (chunk) => {
        for (const item of chunk?.items ?? []) if ("items" in item) linked(item.items as Report);
        tell(chunk);
      }),
  };
}

function linked(diagnostics: Report): Report {
  for (const diagnostic of diagnostics) {
    const { code } = diagnostic;
    const name = (diagnostic as { data?: { name?: string } }).data?.name;
    if (typeof code === "object") diagnostic.code = { ...code, target: ruleUri(name ?? String(code.value)) };
  }
  return diagnostics;
}
