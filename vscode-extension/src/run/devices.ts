/** Where code can be run, and where it is run now. */
import * as vscode from "vscode";
import type { Device, Devices, Problem } from "../../../docs/protocol";
import type { Server } from "../client/server";
import type { Tokens } from "./tokens";

const CHOSEN = "torchwise.device";
export const CPU: Device = { id: "cpu", kind: "cpu", name: "CPU", memoryFree: null, memoryTotal: null };

/** Stateful: the choice, and what was found the last time that someone looked. */
export class DeviceShelf {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private found: Device[] = [CPU];
  private asked: Promise<Devices> | undefined;
  /** What was wrong the last time that someone looked. */
  problems: readonly Problem[] = [];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly tokens: Tokens,
  ) {
    server.onDidChange((state) => {
      if (state.kind === "starting") this.asked = undefined;
    });
  }

  /** `cpu`, `cuda:0`, `https://host:8888#cpu` ... */
  get chosen(): string {
    const set = vscode.workspace.isTrusted
      ? vscode.workspace.getConfiguration("torchwise").get<string>("device")
      : undefined;
    return this.context.workspaceState.get<string>(CHOSEN) ?? set ?? "cpu";
  }

  async choose(device: string): Promise<void> {
    if (device === this.chosen) return;
    await this.context.workspaceState.update(CHOSEN, device);
    this.changed.fire();
  }

  /** Of this machine, as far as is known. */
  get local(): readonly Device[] {
    return this.found;
  }

  /** Of this machine. torch is imported for the question, in a process of its own, so it takes a while. */
  async ask(fresh = false): Promise<Devices> {
    if (fresh) this.asked = undefined;
    this.asked ??= this.server.ask("torchwise.kernel.devices", { interpreter: this.server.interpreter, fresh });
    try {
      const devices = await this.asked;
      this.problems = devices.problems;
      const rows = devices.devices.some((row) => row.id === "cpu") ? devices.devices : [CPU, ...devices.devices];
      if (rows.map((row) => row.id).join() !== this.found.map((row) => row.id).join()) {
        this.found = rows;
        this.changed.fire();
      }
      return devices;
    } catch (error) {
      this.asked = undefined;
      throw error;
    }
  }

  async askServer(url: string): Promise<Devices> {
    return this.server.ask("torchwise.kernel.devices", { url, token: await this.tokens.of(url) });
  }
}

/** For people: `CUDA 0`, `CPU`, `CPU on host:8888`. */
export function label(device: string): string {
  const [place, remote] = device.includes("://") ? [device.split("#")[1] ?? "cpu", device.split("#")[0]] : [device, ""];
  const [kind = "", index] = place.split(":");
  const name = index === undefined ? kind.toUpperCase() : `${kind.toUpperCase()} ${index}`;
  return remote ? vscode.l10n.t("{0} on {1}", name, remote.replace(/^https?:\/\//, "")) : name;
}

export function sentence(problem: Problem): string {
  return problem.remedy ? `${problem.what} (${problem.remedy})` : problem.what;
}

export function memory(device: Device): string {
  if (device.memoryTotal === null) return "";
  const gib = (bytes: number | null) => ((bytes ?? 0) / 2 ** 30).toFixed(1);
  return vscode.l10n.t("{0} of {1} GiB free", gib(device.memoryFree), gib(device.memoryTotal));
}
