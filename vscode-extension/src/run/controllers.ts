/** One kernel for each device in the kernel picker of lessons: the picker of notebooks is the device picker. */
import * as vscode from "vscode";
import type { Output } from "../../../docs/protocol";
import type { Server } from "../client/server";
import { LESSON_TYPE, lessonOf, noteOf } from "../lessons/serializer";
import type { Desk } from "./desk";
import { type DeviceShelf, label } from "./devices";
import { ending } from "./ending";
import { parts } from "./outputs";

const EXTENSION = "torchwise.torchwise";

/** Stateful: the controllers, and which runs belong to a notebook. */
export class LessonControllers implements vscode.Disposable {
  private readonly made = new Map<string, vscode.NotebookController>();
  private readonly runs = new Map<string, Set<string>>();
  private readonly stopped = new WeakSet<vscode.NotebookDocument>();
  private readonly bound = new WeakMap<vscode.NotebookDocument, string>(); // to a device
  private readonly listening: vscode.Disposable;
  private order = 0;

  constructor(
    private readonly server: Server,
    private readonly desk: Desk,
    private readonly shelf: DeviceShelf,
  ) {
    this.refresh();
    this.listening = vscode.Disposable.from(
      shelf.onDidChange(() => {
        this.refresh();
        void this.bind((device) => device !== shelf.chosen);
      }),
      server.onDidChange(() => this.refresh()),
      vscode.workspace.onDidOpenNotebookDocument((notebook) => {
        if (notebook.notebookType !== LESSON_TYPE) return;
        this.prefer(notebook);
      }),
      vscode.window.onDidChangeActiveNotebookEditor(() => this.open()),
    );
  }

  private refresh(): void {
    const devices = new Set([...this.shelf.local.map((device) => device.id), this.shelf.chosen]);
    for (const device of devices) {
      const controller = this.made.get(device) ?? this.make(device);
      const selected = this.server.selected;
      controller.description = selected?.environment.torch ? `torch ${selected.environment.torch}` : undefined;
      controller.detail = selected?.environment.executable;
    }
    for (const [device, controller] of this.made) {
      if (devices.has(device)) continue;
      controller.dispose();
      this.made.delete(device);
    }
    for (const notebook of vscode.workspace.notebookDocuments) this.prefer(notebook);
  }

  private async open(): Promise<void> {
    const notebook = vscode.window.activeNotebookEditor?.notebook;
    if (notebook?.notebookType !== LESSON_TYPE || !vscode.workspace.isTrusted) return;
    await this.shelf.ask().catch(() => undefined);
    await this.bind((device) => device === undefined);
  }

  /** The lesson in front gets the kernel of the chosen device: else, with several, the first run asks for one. */
  private async bind(wanted: (device: string | undefined) => boolean): Promise<void> {
    const notebook = vscode.window.activeNotebookEditor?.notebook;
    if (notebook?.notebookType !== LESSON_TYPE || !wanted(this.bound.get(notebook))) return;
    const id = controllerId(this.shelf.chosen);
    await vscode.commands.executeCommand("notebook.selectKernel", { id, extension: EXTENSION });
  }

  private prefer(notebook: vscode.NotebookDocument): void {
    if (notebook.notebookType !== LESSON_TYPE) return;
    const { Default, Preferred } = vscode.NotebookControllerAffinity;
    for (const [device, controller] of this.made) {
      controller.updateNotebookAffinity(notebook, device === this.shelf.chosen ? Preferred : Default);
    }
  }

  private make(device: string): vscode.NotebookController {
    const id = controllerId(device);
    const controller = vscode.notebooks.createNotebookController(id, LESSON_TYPE, label(device));
    controller.supportedLanguages = ["python"];
    controller.supportsExecutionOrder = true;
    controller.executeHandler = (cells, notebook) => this.runAll(controller, device, cells, notebook);
    controller.interruptHandler = async (notebook) => {
      this.stopped.add(notebook);
      await this.desk.interrupt([...(this.runs.get(notebook.uri.toString()) ?? [])]);
    };
    controller.onDidChangeSelectedNotebooks(({ notebook, selected }) => {
      if (selected) {
        this.bound.set(notebook, device);
        void this.shelf.choose(device);
      } else if (this.bound.get(notebook) === device) this.bound.delete(notebook);
    });
    this.made.set(device, controller);
    return controller;
  }

  private async runAll(
    controller: vscode.NotebookController,
    device: string,
    cells: vscode.NotebookCell[],
    notebook: vscode.NotebookDocument,
  ): Promise<void> {
    this.stopped.delete(notebook);
    for (const cell of cells) {
      if (this.stopped.has(notebook) || !(await this.run(controller, device, cell))) return;
    }
  }

  /** Runs the exercise's answer and, after it, its check. */
  async check(cell: vscode.NotebookCell): Promise<void> {
    const device = this.shelf.chosen;
    const controller = this.made.get(device);
    if (controller) await this.run(controller, device, cell, noteOf(cell).check);
  }

  /** Whether what comes after it may run, too. */
  private async run(
    controller: vscode.NotebookController,
    device: string,
    cell: vscode.NotebookCell,
    check?: string,
  ): Promise<boolean> {
    const execution = controller.createNotebookCellExecution(cell);
    execution.executionOrder = ++this.order;
    execution.start(Date.now());
    const shown = new CellOutput(execution);
    await shown.clear();
    const note = noteOf(cell);
    const key = cell.notebook.uri.toString();
    const mine = this.runs.get(key) ?? new Set();
    this.runs.set(key, mine);
    const code = check === undefined ? cell.document.getText() : `${cell.document.getText()}\n\n${check}`;
    let run = "";
    const name = `${lessonOf(cell.notebook)}#${note.name ?? note.program ?? cell.index}`;
    const result = await this.desk.run(
      { code, name, firstRow: 1, device, lesson: true },
      (output) => shown.show(output),
      (begun) => {
        run = begun;
        mine.add(begun);
      },
    );
    mine.delete(run);
    const failed = result.ended === "failed";
    const meant = failed && check === undefined && note.raises !== undefined;
    if (ending(result)) await shown.say(ending(result));
    if (meant)
      await shown.say(vscode.l10n.t("That is what this snippet shows: it raises {0}", note.raises ?? ""), false);
    if (check !== undefined && result.ended === "done")
      await shown.say(vscode.l10n.t("Right: all checks hold."), false);
    await shown.settled;
    execution.end(result.ended === "done" || meant, Date.now());
    return result.ended === "done" || meant;
  }

  dispose(): void {
    for (const controller of this.made.values()) controller.dispose();
    this.listening.dispose();
  }
}

export function controllerId(device: string): string {
  return `torchwise-${device}`;
}

/** Stateful: outputs come quicker than they can be shown, so each waits for the one before. */
class CellOutput {
  private readonly displays = new Map<string, vscode.NotebookCellOutput>();
  private stream: { mime: string; output: vscode.NotebookCellOutput } | undefined;
  private waits = false; // a clear that takes effect with the next output
  settled: Promise<void> = Promise.resolve();

  constructor(private readonly execution: vscode.NotebookCellExecution) {}

  clear(): Promise<void> {
    return this.next(async () => {
      this.stream = undefined;
      await this.execution.clearOutput();
    });
  }

  show(output: Output): void {
    if (output.kind === "clear") {
      if (output.wait) this.waits = true;
      else void this.clear();
      return;
    }
    const items = parts(output).map(item);
    if (this.waits) {
      this.waits = false;
      void this.clear();
    }
    const display = output.kind === "display" ? output : undefined;
    void this.next(() => this.add(items, display?.displayId ?? undefined, display?.update ?? false));
  }

  say(text: string, bad = true): Promise<void> {
    const line = bad ? vscode.NotebookCellOutputItem.stderr(text) : vscode.NotebookCellOutputItem.text(text);
    return this.next(() => this.add([line]));
  }

  private async add(items: vscode.NotebookCellOutputItem[], id?: string, update = false): Promise<void> {
    const [first] = items;
    const known = id ? this.displays.get(id) : undefined;
    if (update && known) {
      await this.execution.replaceOutputItems(items, known);
    } else if (first && this.stream?.mime === first.mime && /stdout|stderr/.test(first.mime)) {
      await this.execution.appendOutputItems(items, this.stream.output);
    } else {
      const output = new vscode.NotebookCellOutput(items);
      this.stream = first ? { mime: first.mime, output } : undefined;
      if (id) this.displays.set(id, output);
      await this.execution.appendOutput(output);
    }
  }

  private next(work: () => Promise<void>): Promise<void> {
    // A cell that is gone takes no output.
    this.settled = this.settled.then(work).catch(() => undefined);
    return this.settled;
  }
}

function item(part: { mime: string; data: string; encoded?: boolean }): vscode.NotebookCellOutputItem {
  const bytes = part.encoded ? Buffer.from(part.data, "base64") : Buffer.from(part.data, "utf8");
  return new vscode.NotebookCellOutputItem(bytes, part.mime);
}
