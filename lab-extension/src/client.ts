/** The language server as the page knows it: what is open, what was found, and what can be asked. */

import type { ISharedText } from '@jupyter/ydoc';
import { type ISignal, Signal } from '@lumino/signaling';
import type {
  CodeAction,
  Command,
  Diagnostic,
  Hover,
  InlayHint,
  Position,
  Range
} from 'vscode-languageserver-types';
import type { ITeller, OpenDocument, OpenText } from './documents';
import { applyEdit } from './edits';
import { whole } from './positions';
import { Connection } from './rpc';

/** `connecting`: there is no connection. `restarting`: the server has ended, and another is started. */
export type State = 'connecting' | 'ready' | 'restarting';

interface IPublished {
  uri: string;
  version?: number | null;
  diagnostics: Diagnostic[];
}

export class Client implements ITeller {
  constructor(openSocket: () => WebSocket) {
    this.connection = new Connection(openSocket, {
      opened: () => void this.greet(),
      closed: () => this.become('connecting'),
      notified: (method, params) => this.notified(method, params)
    });
  }

  debounceMs = 150;
  state: State = 'connecting';

  /** Findings in files that are not open here, by address. */
  readonly elsewhere = new Map<string, Diagnostic[]>();

  get ready(): boolean {
    return this.greeted;
  }

  /** What was found in an open text is known anew. */
  get found(): ISignal<this, OpenText> {
    return this._found;
  }

  /** What was found in files that are not open is known anew. */
  get foundElsewhere(): ISignal<this, void> {
    return this._foundElsewhere;
  }

  get stateChanged(): ISignal<this, State> {
    return this._stateChanged;
  }

  /** Texts were opened or closed. */
  get textsChanged(): ISignal<this, void> {
    return this._textsChanged;
  }

  // -- what is open --------------------------------------------------------------------------------------

  textOf(model: ISharedText): OpenText | undefined {
    return this.byModel.get(model);
  }

  textAt(uri: string): OpenText | undefined {
    return this.byUri.get(uri);
  }

  get texts(): OpenText[] {
    return [...this.byUri.values()];
  }

  get documents(): Set<OpenDocument> {
    return new Set(this.texts.map(text => text.owner));
  }

  add(text: OpenText): void {
    this.byUri.set(text.uri, text);
    this.byModel.set(text.model, text);
    text.model.changed.connect(this.onModelChanged, this);
    this.elsewhere.delete(text.uri);
    this._found.emit(text);
    this._textsChanged.emit();
  }

  remove(text: OpenText): void {
    text.model.changed.disconnect(this.onModelChanged, this);
    if (this.byUri.get(text.uri) === text) {
      this.byUri.delete(text.uri);
    }
    if (this.byModel.get(text.model) === text) {
      this.byModel.delete(text.model);
    }
    text.diagnostics = [];
    this._found.emit(text);
    this._textsChanged.emit();
  }

  private onModelChanged(model: ISharedText, change: { sourceChange?: unknown }): void {
    const text = this.byModel.get(model);
    if (text && change.sourceChange) {
      text.owner.changed(text);
    }
  }

  // -- what can be asked ---------------------------------------------------------------------------------

  hover(text: OpenText, position: Position): Promise<Hover | null> {
    return this.askAbout(text, 'textDocument/hover', { position });
  }

  inlayHints(text: OpenText): Promise<InlayHint[] | null> {
    return this.askAbout(text, 'textDocument/inlayHint', {
      range: whole(text.source)
    });
  }

  async codeActions(text: OpenText, range: Range, kind: string): Promise<CodeAction[]> {
    const context = { diagnostics: [], only: [kind], triggerKind: 1 };
    const found = await this.askAbout<(CodeAction | Command)[] | null>(
      text,
      'textDocument/codeAction',
      { range, context }
    );
    return (found ?? []).filter((action): action is CodeAction => 'edit' in action);
  }

  /** Raises `NotMade` where the edit does not fit any more. */
  apply(action: CodeAction): void {
    if (action.edit) {
      applyEdit(action.edit, uri => this.byUri.get(uri));
    }
  }

  execute<Result>(command: string, request: unknown = {}): Promise<Result> {
    return this.connection.request('workspace/executeCommand', {
      command,
      arguments: [request]
    });
  }

  notify(method: string, params: unknown): void {
    this.connection.notify(method, params);
  }

  configure(settings: object): void {
    this.settings = settings;
    if (this.ready) {
      this.notify('workspace/didChangeConfiguration', {
        settings: { torchwise: settings }
      });
    }
  }

  private askAbout<Result>(text: OpenText, method: string, params: object): Promise<Result> {
    text.owner.flush();
    const textDocument = { uri: text.uri };
    return this.connection.request(method, { textDocument, ...params });
  }

  // -- what is told --------------------------------------------------------------------------------------

  private async greet(): Promise<void> {
    try {
      await this.connection.request('initialize', { capabilities: {} });
    } catch {
      return; // the connection was closed meanwhile, and is opened again
    }
    this.greeted = true;
    this.notify('initialized', {});
    if (this.settings) {
      this.configure(this.settings);
    }
    for (const document of this.documents) {
      document.open();
    }
    this.become('ready');
  }

  private become(state: State): void {
    this.greeted = this.greeted && state !== 'connecting';
    if (this.state !== state) {
      this.state = state;
      this._stateChanged.emit(state);
    }
  }

  private notified(method: string, params: unknown): void {
    if (method === 'textDocument/publishDiagnostics') {
      this.published(params as IPublished);
    } else if (method === 'torchwise/server' && this.greeted) {
      this.become((params as { state: string }).state === 'ready' ? 'ready' : 'restarting');
    } else if (method === 'window/showMessage') {
      this._said.emit((params as { message: string }).message);
    } else if (method === 'workspace/inlayHint/refresh') {
      this._refreshed.emit();
    }
  }

  get said(): ISignal<this, string> {
    return this._said;
  }

  get refreshed(): ISignal<this, void> {
    return this._refreshed;
  }

  /** An answer about an older version is dropped: the newer one is answered, too. */
  private published({ uri, version, diagnostics }: IPublished): void {
    const text = this.byUri.get(uri);
    if (text) {
      if ((version ?? text.version) === text.version) {
        text.diagnostics = diagnostics;
        this._found.emit(text);
      }
      return;
    }
    if (uri.startsWith('file:')) {
      this.elsewhere.delete(uri);
      if (diagnostics.length) {
        this.elsewhere.set(uri, diagnostics);
      }
      this._foundElsewhere.emit();
    }
  }

  private connection: Connection;
  private greeted = false;
  private settings: object | null = null;
  private byUri = new Map<string, OpenText>();
  private byModel = new Map<ISharedText, OpenText>();
  private _found = new Signal<this, OpenText>(this);
  private _foundElsewhere = new Signal<this, void>(this);
  private _stateChanged = new Signal<this, State>(this);
  private _textsChanged = new Signal<this, void>(this);
  private _said = new Signal<this, string>(this);
  private _refreshed = new Signal<this, void>(this);
}
