/** The status-bar item that shows where code runs, and its list. */
import * as vscode from "vscode";
import type { Device } from "../../../docs/protocol";
import type { Desk } from "./desk";
import { type DeviceShelf, label, memory, sentence } from "./devices";
import type { Tokens } from "./tokens";

interface Row extends vscode.QuickPickItem {
  device?: string;
  does?: () => Promise<void>;
}

export function devicePicker(shelf: DeviceShelf, desk: Desk, tokens: Tokens): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("torchwise.device", vscode.StatusBarAlignment.Right, 90);
  item.name = vscode.l10n.t("Torchwise Device");
  item.command = "torchwise.chooseDevice";
  const draw = () => {
    const busy = desk.running.length > 0;
    item.text = `$(${busy ? "loading~spin" : "chip"}) ${label(shelf.chosen)}`;
    item.tooltip = vscode.l10n.t("Torchwise runs code on {0}", label(shelf.chosen));
    item.accessibilityInformation = { label: `${item.name}: ${label(shelf.chosen)}`, role: "button" };
  };
  draw();
  item.show();
  const pick = () => choose(shelf, desk, tokens);
  return vscode.Disposable.from(
    item,
    shelf.onDidChange(draw),
    desk.onDidChangeRuns(draw),
    vscode.commands.registerCommand("torchwise.chooseDevice", pick),
    vscode.commands.registerCommand("torchwise.addServer", () => addServer(shelf, tokens)),
    vscode.commands.registerCommand("torchwise.forgetServer", () => tokens.forget()),
  );
}

async function choose(shelf: DeviceShelf, desk: Desk, tokens: Tokens): Promise<void> {
  const device = await pickDevice(shelf, tokens, actions(shelf, desk, tokens));
  if (device) await shelf.choose(device);
}

/** A device that the user picks; undefined where none is picked, or something else was done. */
export function pickDevice(shelf: DeviceShelf, tokens: Tokens, more: Row[] = []): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<Row>();
  pick.title = vscode.l10n.t("Where Torchwise runs code");
  pick.placeholder = vscode.l10n.t("Choose a device");
  pick.matchOnDescription = true;
  let shown: string | undefined;
  const fill = (rows: Row[]) => {
    // A click on a row that is being replaced by its like is lost.
    if (shown === JSON.stringify(rows)) return;
    shown = JSON.stringify(rows);
    pick.items = [...rows, ...tokens.servers.map((url) => remoteRow(url)), ...more];
    pick.activeItems = rows.filter((row) => row.device === shelf.chosen);
  };
  fill(rowsOf(shelf));
  pick.busy = true;
  shelf
    .ask()
    .then(() => fill(rowsOf(shelf)))
    .catch((error) => fill([{ label: "$(warning) CPU", description: String(error), device: "cpu" }]))
    .finally(() => {
      pick.busy = false;
    });
  return new Promise((resolve) => {
    pick.onDidAccept(async () => {
      const [chosen] = pick.selectedItems;
      pick.hide();
      if (chosen?.does) await chosen.does();
      const remote = chosen?.device?.endsWith("#");
      resolve(remote ? await pickRemote(shelf, (chosen?.device ?? "").slice(0, -1)) : chosen?.device);
    });
    pick.onDidHide(() => {
      pick.dispose();
      if (pick.selectedItems.length === 0) resolve(undefined);
    });
    pick.show();
  });
}

function rowsOf(shelf: DeviceShelf): Row[] {
  const rows = shelf.local.map((device) => row(device));
  const problems = shelf.problems.map((problem) => ({
    label: `$(info) ${problem.what}`,
    detail: problem.remedy ?? "",
  }));
  return [...rows, ...problems];
}

function row(device: Device, url?: string): Row {
  const id = url ? `${url}#${device.id}` : device.id;
  const name = device.name === label(device.id) ? "" : device.name;
  return { label: `$(chip) ${label(id)}`, description: name, detail: memory(device) || undefined, device: id };
}

function remoteRow(url: string): Row {
  return { label: `$(server) ${url}`, description: vscode.l10n.t("Jupyter server"), device: `${url}#` };
}

function actions(shelf: DeviceShelf, desk: Desk, tokens: Tokens): Row[] {
  const add = async () => void (await addServer(shelf, tokens));
  const rows: Row[] = [
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: `$(add) ${vscode.l10n.t("Add Jupyter Server…")}`, does: add },
  ];
  if (desk.running.length > 0) {
    rows.push({ label: `$(debug-stop) ${vscode.l10n.t("Interrupt what runs")}`, does: () => desk.interrupt() });
  }
  if (desk.kernels.length > 0) {
    rows.push({ label: `$(debug-restart) ${vscode.l10n.t("Restart Kernel…")}`, does: () => desk.restart() });
  }
  return rows;
}

async function addServer(shelf: DeviceShelf, tokens: Tokens): Promise<void> {
  const url = await tokens.add();
  const device = url && (await pickRemote(shelf, url));
  if (device) await shelf.choose(device);
}

async function pickRemote(shelf: DeviceShelf, url: string): Promise<string | undefined> {
  const title = vscode.l10n.t("Devices of {0}", url);
  const asked = vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Asking {0} for its devices", url) },
    () => shelf.askServer(url),
  );
  const found = await asked;
  if (found.devices.length === 0) {
    const why = found.problems.map(sentence).join("; ") || vscode.l10n.t("it has none");
    void vscode.window.showErrorMessage(vscode.l10n.t("No device of {0} can be used: {1}", url, why));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(
    found.devices.map((device) => row(device, url)),
    { title },
  );
  return chosen?.device;
}
