/**
 * What is open, as the language server is told of it.
 *
 * Texts come from the shared models, so every view of a document and whoever else edits it are followed alike.
 * A change is sent when typing pauses, and before anything is asked; always the whole text of what changed.
 */

import type { ISharedText } from '@jupyter/ydoc';
import type { Diagnostic, TextDocumentItem } from 'vscode-languageserver-types';

/** What documents need of the client. */
export interface ITeller {
  readonly ready: boolean;
  readonly debounceMs: number;
  notify(method: string, params: unknown): void;
  add(text: OpenText): void;
  remove(text: OpenText): void;
}

/** A text with an address of its own: a file, or a cell of a notebook. */
export class OpenText {
  constructor(
    readonly uri: string,
    readonly model: ISharedText,
    readonly owner: OpenDocument
  ) {}

  version = 1;
  isDirty = false;
  diagnostics: Diagnostic[] = [];
  /** Which cell of the notebook it is, from 1; 0 for a file. */
  cell = 0;

  get source(): string {
    return this.model.getSource();
  }
}

export abstract class OpenDocument {
  constructor(
    protected teller: ITeller,
    readonly uri: string
  ) {}

  abstract readonly texts: readonly OpenText[];

  /** Tells all of it: a server that knows nothing of it listens. */
  abstract open(): void;

  abstract close(): void;

  protected abstract send(): void;

  /** A text of it has changed. */
  changed(text: OpenText): void {
    text.isDirty = true;
    text.version++;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), this.teller.debounceMs);
  }

  flush(): void {
    clearTimeout(this.timer);
    if (this.teller.ready) {
      this.send();
    }
  }

  private timer = 0;
}

export class OpenFile extends OpenDocument {
  constructor(teller: ITeller, uri: string, model: ISharedText) {
    super(teller, uri);
    this.texts = [new OpenText(uri, model, this)];
    teller.add(this.texts[0]);
    if (teller.ready) {
      this.open();
    }
  }

  readonly texts: readonly OpenText[];

  open(): void {
    this.texts[0].isDirty = false;
    this.teller.notify('textDocument/didOpen', {
      textDocument: itemOf(this.texts[0])
    });
  }

  close(): void {
    this.teller.remove(this.texts[0]);
    this.teller.notify('textDocument/didClose', {
      textDocument: { uri: this.uri }
    });
  }

  protected send(): void {
    const text = this.texts[0];
    if (text.isDirty) {
      text.isDirty = false;
      this.teller.notify('textDocument/didChange', {
        textDocument: { uri: text.uri, version: text.version },
        contentChanges: [{ text: text.source }]
      });
    }
  }
}

export interface ICodeCell {
  id: string;
  model: ISharedText;
  /** Among all cells of the notebook, from 1. */
  number: number;
}

export class OpenNotebook extends OpenDocument {
  constructor(teller: ITeller, uri: string, cells: ICodeCell[]) {
    super(teller, uri);
    this.texts = cells.map(cell => this.textOf(cell));
    for (const text of this.texts) {
      teller.add(text);
    }
    if (teller.ready) {
      this.open();
    }
  }

  texts: readonly OpenText[];

  open(): void {
    for (const text of this.texts) {
      text.isDirty = false;
    }
    this.teller.notify('notebookDocument/didOpen', {
      notebookDocument: {
        uri: this.uri,
        notebookType: 'jupyter-notebook',
        version: this.version,
        cells: this.texts.map(cellOf)
      },
      cellTextDocuments: this.texts.map(itemOf)
    });
  }

  close(): void {
    for (const text of this.texts) {
      this.teller.remove(text);
    }
    this.teller.notify('notebookDocument/didClose', {
      notebookDocument: { uri: this.uri },
      cellTextDocuments: this.texts.map(text => ({ uri: text.uri }))
    });
  }

  /** The cells are these now: the stretch that differs is told as one. */
  update(cells: ICodeCell[]): void {
    const before = this.texts;
    const start = commonHead(before, cells);
    const tail = commonTail(before, cells, start);
    const removed = before.slice(start, before.length - tail);
    const added = cells.slice(start, cells.length - tail).map(cell => this.textOf(cell));
    if (removed.length || added.length) {
      this.flush(); // texts that are still to be sent belong to the list as it was
      for (const text of removed) {
        this.teller.remove(text);
      }
      this.texts = [...before.slice(0, start), ...added, ...before.slice(before.length - tail)];
      for (const text of added) {
        this.teller.add(text);
      }
      if (this.teller.ready) {
        this.tellSplice(start, removed, added);
      }
    }
    this.texts.forEach((text, index) => {
      text.cell = cells[index].number;
    });
  }

  /**
   * A cell that was moved is the same address with another model. Servers open before they close, so no address
   * is told as both: its text is sent as a change.
   */
  private tellSplice(start: number, removed: readonly OpenText[], added: OpenText[]): void {
    const stays = (some: readonly OpenText[], text: OpenText) => some.some(t => t.uri === text.uri);
    this.teller.notify('notebookDocument/didChange', {
      notebookDocument: { uri: this.uri, version: ++this.version },
      change: {
        cells: {
          structure: {
            array: {
              start,
              deleteCount: removed.length,
              cells: added.map(cellOf)
            },
            didOpen: added.filter(text => !stays(removed, text)).map(itemOf),
            didClose: removed.filter(text => !stays(added, text)).map(text => ({ uri: text.uri }))
          }
        }
      }
    });
    for (const text of added.filter(text => stays(removed, text))) {
      text.version = (removed.find(old => old.uri === text.uri)?.version ?? 1) + 1;
      text.isDirty = true;
    }
    this.flush();
  }

  protected send(): void {
    const dirty = this.texts.filter(text => text.isDirty);
    if (!dirty.length) {
      return;
    }
    for (const text of dirty) {
      text.isDirty = false;
    }
    this.teller.notify('notebookDocument/didChange', {
      notebookDocument: { uri: this.uri, version: ++this.version },
      change: {
        cells: {
          textContent: dirty.map(text => ({
            document: { uri: text.uri, version: text.version },
            changes: [{ text: text.source }]
          }))
        }
      }
    });
  }

  /** The addresses that VS Code gives to cells, so that a server sees both editors alike. */
  private textOf(cell: ICodeCell): OpenText {
    const uri = `${this.uri.replace(/^file:/, 'vscode-notebook-cell:')}#${cell.id}`;
    const text = new OpenText(uri, cell.model, this);
    text.cell = cell.number;
    return text;
  }

  private version = 1;
}

function commonHead(texts: readonly OpenText[], cells: ICodeCell[]): number {
  let count = 0;
  while (
    count < Math.min(texts.length, cells.length) &&
    texts[count].model === cells[count].model
  ) {
    count++;
  }
  return count;
}

function commonTail(texts: readonly OpenText[], cells: ICodeCell[], start: number): number {
  let count = 0;
  const most = Math.min(texts.length, cells.length) - start;
  const same = (back: number) =>
    texts[texts.length - 1 - back].model === cells[cells.length - 1 - back].model;
  while (count < most && same(count)) {
    count++;
  }
  return count;
}

function cellOf(text: OpenText): { kind: number; document: string } {
  return { kind: 2, document: text.uri };
}

function itemOf(text: OpenText): TextDocumentItem {
  return {
    uri: text.uri,
    languageId: 'python',
    version: text.version,
    text: text.source
  };
}
