/** Addresses of texts, paths as JupyterLab knows them, and going there. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { IEditorTracker } from '@jupyterlab/fileeditor';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Location, Position } from 'vscode-languageserver-types';
import type { Client } from './client';
import type { OpenText } from './documents';

/** Of a server whose files are not on a disk. */
const NO_ROOT = 'jupyter:///';

export class Places {
  constructor(
    private app: JupyterFrontEnd,
    private client: Client,
    private trans: TranslationBundle,
    private notebooks: INotebookTracker | null,
    private files: IEditorTracker | null,
    private documents: IDocumentManager | null
  ) {}

  /** The address of the root folder. */
  root = NO_ROOT;

  uriOf(path: string): string {
    const local = this.app.serviceManager.contents.localPath(path);
    return `${this.root.replace(/\/$/, '')}/${local.split('/').map(encodeURIComponent).join('/')}`;
  }

  pathOf(uri: string): string | null {
    const address = uri.split('#')[0].replace(/^vscode-notebook-cell:/, 'file:');
    const root = this.root.replace(/\/?$/, '/');
    return address.startsWith(root) ? decodeURIComponent(address.slice(root.length)) : null;
  }

  /** "cell 3, line 2", with the file's name where it is another one. */
  name(location: Location, from?: OpenText): string {
    const line = location.range.start.line + 1;
    const text = this.client.textAt(location.uri);
    const inside = text?.cell
      ? this.trans.__('cell %1, line %2', text.cell, line)
      : this.trans.__('line %1', line);
    const path = this.pathOf(location.uri);
    const same = from && path === this.pathOf(from.uri);
    return same ? inside : `${path ?? location.uri}: ${inside}`;
  }

  async open(location: Location): Promise<void> {
    const text = this.client.textAt(location.uri);
    const path = this.pathOf(location.uri);
    if (text?.cell) {
      const panel = this.notebooks?.find(panel => cellIndex(panel, text) >= 0);
      if (panel) {
        await this.openCell(panel, cellIndex(panel, text), location.range.start);
      }
    } else if (path !== null) {
      await this.openFile(path, location.range.start);
    }
  }

  private async openCell(panel: NotebookPanel, index: number, at: Position): Promise<void> {
    this.app.shell.activateById(panel.id);
    const content = panel.content;
    content.activeCellIndex = index;
    await content.scrollToItem(index, 'smart').catch(() => undefined);
    const cell = content.widgets[index];
    await cell.ready;
    content.mode = 'edit';
    reveal(cell.editor, at);
  }

  private async openFile(path: string, at: Position): Promise<void> {
    const widget = this.documents?.openOrReveal(path);
    await widget?.context.ready;
    const editor = this.files?.find(file => file.context.path === path)?.content.editor;
    reveal(editor ?? null, at);
  }

  /** The editor that has the attention, and the text in it. */
  get active(): { editor: CodeEditor.IEditor; text: OpenText } | null {
    const current = this.app.shell.currentWidget;
    const notebook = this.notebooks?.currentWidget;
    const file = this.files?.currentWidget;
    const editor =
      notebook && notebook === current
        ? notebook.content.activeCell?.editor
        : file && file === current
          ? file.content.editor
          : null;
    const text = editor && this.client.textOf(editor.model.sharedModel);
    return editor && text ? { editor, text } : null;
  }
}

function cellIndex(panel: NotebookPanel, text: OpenText): number {
  return panel.content.widgets.findIndex(cell => cell.model.sharedModel === text.model);
}

function reveal(editor: CodeEditor.IEditor | null, at: Position): void {
  const position = { line: at.line, column: at.character };
  editor?.focus();
  editor?.setCursorPosition(position);
  editor?.revealPosition(position);
}
