/** Where everything is put together. */
import * as vscode from "vscode";
import { Server } from "./client/server";
import { status } from "./client/status";
import { learning } from "./lessons/register";
import { onChosenElsewhere } from "./python/candidates";
import { choose } from "./python/choose";
import { Desk } from "./run/desk";
import { DeviceShelf } from "./run/devices";
import { running } from "./run/register";
import { Tokens } from "./run/tokens";

const RESTARTING = ["torchwise.interpreter", "torchwise.importStrategy"];

export interface Api {
  server: Server;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const began = performance.now();
  const log = vscode.window.createOutputChannel("Torchwise", { log: true });
  const server = new Server(context, log);
  const tokens = new Tokens(context);
  const desk = new Desk(server, tokens);
  const shelf = new DeviceShelf(context, server, tokens);
  context.subscriptions.push(
    log,
    server,
    status(server),
    running(context, server, desk, shelf, tokens),
    learning(context, server, desk, shelf),
    vscode.commands.registerCommand("torchwise.restart", () => server.restart()),
    vscode.commands.registerCommand("torchwise.showLog", () => log.show()),
    vscode.commands.registerCommand("torchwise.chooseInterpreter", () => choose(context, log)),
    vscode.commands.registerCommand("torchwise.fixAll", fixAll),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (RESTARTING.some((name) => event.affectsConfiguration(name))) void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
  );
  void server.restart();
  log.info(`activated in ${Math.round(performance.now() - began)} ms`);
  context.subscriptions.push(await onChosenElsewhere(log, () => void server.restart()));
  return { server };
}

async function fixAll(): Promise<void> {
  await vscode.commands.executeCommand("editor.action.codeAction", { kind: "source.fixAll.torchwise", apply: "first" });
}
