/** A client for one process of the server. */
import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  type CloseHandlerResult,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type ServerOptions,
} from "vscode-languageclient/node";
import type { Python } from "../python/look";
import { ClientCommands } from "./commands";
import { middleware } from "./middleware";
import { withoutTokens } from "./trace";

const SELECTOR = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { scheme: "vscode-notebook-cell", language: "python" },
];

const RESTARTS = 4; // within a while: past them it is said that it does not work
const WHILE_MS = 180_000;

export function makeClient(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  python: Python,
  failed: (what: string) => void,
): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: SELECTOR,
    outputChannel: log,
    traceOutputChannel: withoutTokens(log),
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: settings(),
    synchronize: { configurationSection: "torchwise" },
    diagnosticPullOptions: { onChange: true, onSave: false },
    errorHandler: new Patience(failed),
    initializationFailedHandler: () => false,
    markdown: { isTrusted: false, supportHtml: false },
    middleware: middleware(),
  };
  const client = new LanguageClient("torchwise", "Torchwise", command(context, log, python), options);
  client.registerFeature(new ClientCommands());
  return client;
}

function settings(): unknown {
  return JSON.parse(JSON.stringify(vscode.workspace.getConfiguration("torchwise")));
}

function command(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, python: Python): ServerOptions {
  const strategy = vscode.workspace.isTrusted
    ? vscode.workspace.getConfiguration("torchwise").get("importStrategy", "useBundled")
    : "useBundled";
  const [program = "", ...rest] = python.command;
  const args = [...rest, context.asAbsolutePath("python/launch.py"), strategy, "server"];
  log.info(`server: ${[program, ...args].join(" ")}`);
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? os.homedir();
  const env = { ...process.env, PYTHONUTF8: "1", PYTHONUNBUFFERED: "1" };
  return { command: program, args, options: { cwd, env } };
}

/** Stateful: when the process ended. One that ends again and again is not started any more. */
class Patience implements ErrorHandler {
  private readonly ends: number[] = [];

  constructor(private readonly failed: (what: string) => void) {}

  error(): { action: ErrorAction } {
    return { action: ErrorAction.Continue };
  }

  closed(): CloseHandlerResult {
    const now = Date.now();
    this.ends.push(now);
    if (this.ends.filter((at) => now - at < WHILE_MS).length <= RESTARTS) {
      return { action: CloseAction.Restart, handled: true };
    }
    this.failed(vscode.l10n.t("The Torchwise server has ended {0} times, and is not started again.", RESTARTS + 1));
    return { action: CloseAction.DoNotRestart, handled: true };
  }
}
