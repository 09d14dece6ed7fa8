/** The checker: its language server, and findings in notebooks and files. */

import type { ISharedText } from '@jupyter/ydoc';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { EditorExtensionRegistry, IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IEditorTracker } from '@jupyterlab/fileeditor';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator, type TranslationBundle } from '@jupyterlab/translation';
import { Client } from '../client';
import { explanation } from '../editor/explanation';
import { Editors } from '../editors';
import { Fixes } from '../fixes';
import { followLinks } from '../links';
import { Places } from '../places';
import { fetchInfo, fetchScript, openSocket } from '../server';
import { COMMANDS, ITorchwise } from '../torchwise';
import { watchContents, watchFiles, watchNotebooks } from '../watch';

const ID = '@torchwise/lab:plugin';

export const checker: JupyterFrontEndPlugin<ITorchwise> = {
  id: ID,
  description: 'Findings of Torchwise in notebooks and files',
  autoStart: true,
  provides: ITorchwise,
  requires: [IEditorExtensionRegistry, IRenderMimeRegistry],
  optional: [INotebookTracker, IEditorTracker, IDocumentManager, ISettingRegistry, ITranslator],
  activate
};

function activate(
  app: JupyterFrontEnd,
  extensions: IEditorExtensionRegistry,
  rendermime: IRenderMimeRegistry,
  notebooks: INotebookTracker | null,
  files: IEditorTracker | null,
  documents: IDocumentManager | null,
  settings: ISettingRegistry | null,
  translator: ITranslator | null
): ITorchwise {
  const trans = (translator ?? nullTranslator).load('torchwise');
  const connection = app.serviceManager.serverSettings;
  const client = new Client(() => openSocket(connection));
  const places = new Places(app, client, trans, notebooks, files, documents);
  const fixes = new Fixes(client, trans);
  const explain = explaining(app, trans, places, fixes);
  const editors = new Editors(client, rendermime, explain, event => followLinks(app, event));
  extendEditors(extensions, editors);
  client.said.connect((_, message) => Notification.warning(message, { autoClose: 8000 }));
  const info = fetchInfo(connection);
  void info.then(({ rootUri }) => {
    places.root = rootUri ?? places.root;
    if (notebooks) {
      watchNotebooks(notebooks, client, places);
    }
    if (files) {
      watchFiles(files, client, places);
    }
    watchContents(app, client, places);
  }, console.error);
  void settings?.load(ID).then(loaded => {
    const follow = () => configure(loaded.composite, client, editors);
    follow();
    loaded.changed.connect(follow);
  }, console.error);
  const script = (name: string) => fetchScript(connection, name);
  return { client, editors, places, fixes, trans, info, script };
}

/** What is shown of a finding under the pointer. */
function explaining(
  app: JupyterFrontEnd,
  trans: TranslationBundle,
  places: Places,
  fixes: Fixes
): ConstructorParameters<typeof Editors>[2] {
  return (text, row) =>
    explanation(
      {
        trans,
        openRule: name => void app.commands.execute(COMMANDS.openRule, { rule: name }),
        openPlace: location => void places.open(location),
        placeName: location => places.name(location, text),
        fixes: (text, row) => fixes.of(text, row),
        apply: (_, action) => fixes.apply(action)
      },
      text,
      row
    );
}

/** Editors that are made before this is said never get it, so nothing is awaited. */
function extendEditors(extensions: IEditorExtensionRegistry, editors: Editors): void {
  extensions.addExtension({
    name: 'torchwise',
    factory: ({ model }) =>
      EditorExtensionRegistry.createImmutableExtension(
        editors.extension(model.sharedModel as ISharedText)
      )
  });
}

/** Null stands for what the project's own settings say, so it is not sent. */
function configure(
  chosen: ISettingRegistry.ISettings['composite'],
  client: Client,
  editors: Editors
): void {
  client.debounceMs = chosen.debounce as number;
  editors.shown = {
    findings: chosen.findings as boolean,
    hints: chosen.inlayHints as boolean
  };
  const own = new Set(['debounce', 'findings', 'lessonsFolder']);
  const sent = Object.entries(chosen).filter(([name, value]) => value !== null && !own.has(name));
  client.configure(Object.fromEntries(sent));
  editors.refresh();
}
