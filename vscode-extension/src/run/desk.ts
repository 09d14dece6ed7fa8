/** Runs that this editor has asked for: what they print finds its way to who asked. */
import * as vscode from "vscode";
import type { KernelTold, Output, OutputTold, RunRequest, RunResult } from "../../../docs/protocol";
import type { Server } from "../client/server";
import type { Tokens } from "./tokens";

export type Told = (output: Output) => void;
export type Asked = Omit<RunRequest, "run" | "interpreter" | "token" | "timeS">;

/** Stateful: which runs go on, and which kernels there are. */
export class Desk {
  private readonly runs = new Map<string, Told>();
  private readonly known = new Map<string, KernelTold>();
  private readonly changed = new vscode.EventEmitter<KernelTold>();
  readonly onDidChangeKernel = this.changed.event;
  private readonly busy = new vscode.EventEmitter<number>();
  readonly onDidChangeRuns = this.busy.event;
  private count = 0;

  constructor(
    private readonly server: Server,
    private readonly tokens: Tokens,
  ) {
    server.onDidMake((client) => {
      this.known.clear();
      client.onNotification("torchwise/output", (told: OutputTold) => this.runs.get(told.run)?.(told.output));
      client.onNotification("torchwise/kernel", (told: KernelTold) => {
        this.known.set(told.kernel, told);
        this.changed.fire(told);
      });
    });
  }

  get kernels(): KernelTold[] {
    return [...this.known.values()].filter((kernel) => kernel.state !== "stopped");
  }

  get running(): string[] {
    return [...this.runs.keys()];
  }

  /** Ends in any case; `begun` hears the name that interrupts it. */
  async run(asked: Asked, told: Told, begun: (run: string) => void = () => undefined): Promise<RunResult> {
    if (!(await trusted())) return refused();
    const run = `vscode-${process.pid}-${++this.count}`;
    this.runs.set(run, told);
    this.tellRuns();
    begun(run);
    try {
      const token = await this.tokens.of(asked.device);
      const timeS = vscode.workspace.getConfiguration("torchwise").get<number>("timeLimit", 600);
      return await this.server.ask("torchwise.kernel.run", {
        ...asked,
        run,
        token,
        timeS,
        interpreter: this.server.interpreter,
      });
    } catch (error) {
      return unavailable(run, error);
    } finally {
      this.runs.delete(run);
      this.tellRuns();
    }
  }

  private tellRuns(): void {
    void vscode.commands.executeCommand("setContext", "torchwise.busy", this.runs.size > 0);
    this.busy.fire(this.runs.size);
  }

  async interrupt(runs: readonly string[] = this.running): Promise<void> {
    await Promise.all(runs.map((run) => this.server.ask("torchwise.kernel.interrupt", { run })));
  }

  async restart(): Promise<void> {
    const rows = this.kernels.map((kernel) => ({ label: kernel.device, description: kernel.where, kernel }));
    const placeHolder = vscode.l10n.t("Its variables are lost");
    const row = rows.length > 1 ? await vscode.window.showQuickPick(rows, { placeHolder }) : rows[0];
    if (row) await this.server.ask("torchwise.kernel.restart", { kernel: row.kernel.kernel });
    else if (rows.length === 0) void vscode.window.showInformationMessage(vscode.l10n.t("No kernel runs."));
  }
}

/** Whether code may be run; says how to allow it where it may not. */
export async function trusted(): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true;
  const manage = vscode.l10n.t("Manage Workspace Trust");
  const text = vscode.l10n.t("Code runs in trusted workspaces only. Analysis goes on.");
  void vscode.window.showWarningMessage(text, manage).then((chosen) => {
    if (chosen) void vscode.commands.executeCommand("workbench.trust.manage");
  });
  return false;
}

function refused(): RunResult {
  const message = vscode.l10n.t("the workspace is not trusted");
  return { run: "", ended: "refused", seconds: 0, kernel: null, message, remedy: null, lost: null };
}

function unavailable(run: string, error: unknown): RunResult {
  const message = error instanceof Error ? error.message : String(error);
  return { run, ended: "unavailable", seconds: 0, kernel: null, message, remedy: null, lost: null };
}
