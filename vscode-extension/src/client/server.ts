/** The server's life: one process for all roots, started anew when what it depends on changes. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { State as ClientState } from "vscode-languageclient/node";
import type { Commands } from "../../../docs/protocol";
import { NoPython, type Selected, select } from "../python/select";
import { complain } from "./complain";
import { makeClient } from "./make";
import type { State } from "./state";

/** Stateful: a process and its client, or the reason why there is none. */
export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<State>();
  readonly onDidChange = this.changed.event;
  private readonly made = new vscode.EventEmitter<LanguageClient>();
  /** Of each new client, before it starts: notifications are to be listened to from the first. */
  readonly onDidMake = this.made.event;
  private client: LanguageClient | undefined;
  private current: State = { kind: "stopped" };
  private queue: Promise<void> = Promise.resolve();
  private waiting = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
  ) {}

  get state(): State {
    return this.current;
  }

  get selected(): Selected | undefined {
    return this.current.kind === "running" ? this.current.selected : undefined;
  }

  /** The interpreter that code runs in. */
  get interpreter(): string | null {
    return this.selected?.environment.executable ?? null;
  }

  /** One at a time, and no more than one waits: granting trust also changes the configuration. */
  restart(): Promise<void> {
    if (this.waiting) return this.queue;
    this.waiting = true;
    this.queue = this.queue.then(async () => {
      this.waiting = false;
      await this.end();
      await this.begin();
    });
    return this.queue;
  }

  /** The answer of one of the server's own commands. */
  async ask<K extends keyof Commands>(command: K, request: Commands[K][0]): Promise<Commands[K][1]> {
    if (this.current.kind === "starting") await this.queue;
    if (!this.client?.isRunning()) throw new Error(vscode.l10n.t("The Torchwise server is not running."));
    const given = request === null ? [] : [request];
    return this.client.sendRequest("workspace/executeCommand", { command, arguments: given });
  }

  private async begin(): Promise<void> {
    this.become({ kind: "starting" });
    try {
      const selected = await select(this.context, this.log);
      const client = makeClient(this.context, this.log, selected.server, (what) => this.fail(what, false));
      this.client = client;
      this.made.fire(client);
      client.onDidChangeState((event) => {
        if (client !== this.client) return;
        if (event.newState === ClientState.Running) this.running(client, selected);
        else if (event.newState === ClientState.Starting) this.become({ kind: "starting" });
      });
      await client.start();
    } catch (error) {
      const set = error instanceof NoPython && error.setting;
      this.fail(error instanceof NoPython ? error.what : notStarted(error), set);
    }
  }

  private running(client: LanguageClient, selected: Selected): void {
    void client.sendNotification("torchwise/trust", { trusted: vscode.workspace.isTrusted });
    const version = client.initializeResult?.serverInfo?.version ?? "";
    this.log.info(`Torchwise ${version} runs in ${selected.server.executable}`);
    this.log.info(
      `code runs in ${selected.environment.executable}, torch ${selected.environment.torch ?? "is missing"}`,
    );
    this.become({ kind: "running", version, selected });
  }

  private fail(what: string, bySetting: boolean): void {
    this.log.error(what);
    this.become({ kind: "failed", what });
    void complain(what, bySetting);
  }

  private become(state: State): void {
    this.current = state;
    void vscode.commands.executeCommand("setContext", "torchwise.state", state.kind);
    this.changed.fire(state);
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose(2000);
    } catch (error) {
      this.log.debug(`the server did not end well: ${error}`);
    }
  }

  async dispose(): Promise<void> {
    await this.end();
    this.become({ kind: "stopped" });
  }
}

function notStarted(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return vscode.l10n.t("The Torchwise server did not start: {0}", text);
}
