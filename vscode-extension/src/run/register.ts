/** The commands that run code. */
import * as vscode from "vscode";
import type { Server } from "../client/server";
import { type Asked, GraphBreaks } from "./compileReport";
import type { Desk } from "./desk";
import { devicePicker, pickDevice } from "./devicePicker";
import type { DeviceShelf } from "./devices";
import { RealShapes } from "./realShapes";
import { RunsView } from "./runsView";
import { runSelection } from "./selection";
import type { Tokens } from "./tokens";

export function running(
  context: vscode.ExtensionContext,
  server: Server,
  desk: Desk,
  shelf: DeviceShelf,
  tokens: Tokens,
): vscode.Disposable {
  const view = new RunsView(context.extensionUri);
  const breaks = new GraphBreaks(server, shelf, view);
  const shapes = new RealShapes(server, shelf);
  const runOn = async () => {
    const device = await pickDevice(shelf, tokens);
    if (device) await runSelection(desk, view, shelf, device);
  };
  const command = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    breaks,
    shapes,
    devicePicker(shelf, desk, tokens),
    vscode.window.registerWebviewViewProvider("torchwise.runs", view),
    command("torchwise.runSelection", () => runSelection(desk, view, shelf)),
    command("torchwise.runSelectionOn", runOn),
    command("torchwise.interruptRun", () => desk.interrupt()),
    command("torchwise.restartKernel", () => desk.restart()),
    command("torchwise.checkGraphBreaks", (asked?: Asked) => said(breaks.check(asked))),
    command("torchwise.showRealShapes", () => said(shapes.show())),
    command("torchwise.clearRealShapes", () => shapes.clear()),
  );
}

/** What went wrong is said, and not only logged. */
async function said(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}
