/** The HTML around what a webview shows: nothing is loaded but our own script and style. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

export function frame(webview: vscode.Webview, extension: vscode.Uri, kind: "runs" | "page", body: string): string {
  const nonce = randomBytes(16).toString("base64");
  const media = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extension, "media", name));
  const policy = `default-src 'none'; img-src data:; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${media("page.css")}">
</head>
<body data-kind="${kind}">
${body}
<script nonce="${nonce}" src="${media("page.js")}"></script>
</body>
</html>`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
