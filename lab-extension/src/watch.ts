/** Opens and closes documents at the language server as they are opened and closed in JupyterLab. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { FileEditor, IEditorTracker } from '@jupyterlab/fileeditor';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { Client } from './client';
import { type ICodeCell, OpenFile, OpenNotebook } from './documents';
import type { Places } from './places';

export function watchNotebooks(tracker: INotebookTracker, client: Client, places: Places): void {
  tracker.forEach(panel => void watchNotebook(panel, client, places));
  tracker.widgetAdded.connect((_, panel) => void watchNotebook(panel, client, places));
}

export function watchFiles(tracker: IEditorTracker, client: Client, places: Places): void {
  tracker.forEach(widget => void watchFile(widget, client, places));
  tracker.widgetAdded.connect((_, widget) => void watchFile(widget, client, places));
}

/** By widget: opens its document where it is not open. */
const followers = new Map<object, () => void>();

/** Another view of the same document may be there: it opens it anew. */
function gone(widget: object, close: () => void): void {
  followers.delete(widget);
  close();
  for (const follow of followers.values()) {
    follow();
  }
}

async function watchNotebook(panel: NotebookPanel, client: Client, places: Places): Promise<void> {
  await panel.context.ready;
  const model = panel.context.model;
  let open: OpenNotebook | null = null;
  const close = () => {
    open?.close();
    open = null;
  };
  const follow = () => {
    if (panel.isDisposed || !isPython(panel)) {
      close();
    } else if (open) {
      open.update(codeCells(panel));
    } else if (!codeCells(panel).some(cell => client.textOf(cell.model))) {
      // a second view of a notebook has the same models, which are known already
      open = new OpenNotebook(client, places.uriOf(panel.context.path), codeCells(panel));
    }
  };
  follow();
  followers.set(panel, follow);
  model.cells.changed.connect(follow);
  model.metadataChanged.connect(follow);
  panel.context.pathChanged.connect(() => {
    close();
    follow();
  });
  panel.disposed.connect(() => gone(panel, close));
}

function codeCells(panel: NotebookPanel): ICodeCell[] {
  const cells: ICodeCell[] = [];
  let number = 0;
  for (const cell of panel.context.model.cells) {
    number++;
    if (cell.type === 'code') {
      cells.push({ id: cell.id, model: cell.sharedModel, number });
    }
  }
  return cells;
}

/** A notebook that does not say is taken for Python, as JupyterLab takes a new one. */
function isPython(panel: NotebookPanel): boolean {
  const info = panel.context.model.getMetadata('language_info') as { name?: string } | undefined;
  const spec = panel.context.model.getMetadata('kernelspec') as { language?: string } | undefined;
  return (info?.name ?? spec?.language ?? 'python') === 'python';
}

type FileWidget = IDocumentWidget<FileEditor>;

async function watchFile(widget: FileWidget, client: Client, places: Places): Promise<void> {
  await widget.context.ready;
  let open: OpenFile | null = null;
  const close = () => {
    open?.close();
    open = null;
  };
  const follow = () => {
    const path = widget.context.path;
    const model = widget.content.model.sharedModel;
    if (!widget.isDisposed && /\.pyi?$/.test(path) && !client.textOf(model)) {
      open = new OpenFile(client, places.uriOf(path), model);
    }
  };
  follow();
  followers.set(widget, follow);
  widget.context.pathChanged.connect(() => {
    close();
    follow();
  });
  widget.disposed.connect(() => gone(widget, close));
}

const CREATED = 1;
const CHANGED = 2;
const DELETED = 3;

/** Tells of files that are saved, made, moved or deleted: others may import them. */
export function watchContents(app: JupyterFrontEnd, client: Client, places: Places): void {
  app.serviceManager.contents.fileChanged.connect((_, change: Contents.IChangedArgs) => {
    const changes: { uri: string; type: number }[] = [];
    const note = (path: string | undefined, type: number) => {
      if (path && /\.(pyi?|ipynb|toml)$/.test(path)) {
        changes.push({ uri: places.uriOf(path), type });
      }
    };
    if (change.type === 'save') {
      note(change.newValue?.path, CHANGED);
    } else {
      note(change.oldValue?.path, DELETED);
      note(change.newValue?.path, CREATED);
    }
    if (changes.length) {
      client.notify('workspace/didChangeWatchedFiles', { changes });
    }
  });
}
