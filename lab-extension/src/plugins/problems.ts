/** The problems panel, and commands that go from finding to finding and mend them. */

import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorTracker } from '@jupyterlab/fileeditor';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { Location } from 'vscode-languageserver-types';
import type { Places } from '../places';
import { compare } from '../positions';
import { type IProblem, ProblemsPanel, problemsOf } from '../problems';
import { CATEGORY, COMMANDS, ITorchwise } from '../torchwise';

export const problems: JupyterFrontEndPlugin<void> = {
  id: '@torchwise/lab:problems',
  description: 'A list of what was found, and commands to go through it',
  autoStart: true,
  requires: [ITorchwise],
  optional: [INotebookTracker, IEditorTracker, ILabShell, ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    torchwise: ITorchwise,
    notebooks: INotebookTracker | null,
    files: IEditorTracker | null,
    shell: ILabShell | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null
  ) => {
    const { client, places, trans } = torchwise;
    const current = () => {
      const widgets = [notebooks?.currentWidget, files?.currentWidget];
      const inView = shell?.currentWidget ?? widgets.find(widget => widget) ?? null;
      const widget = widgets.find(widget => widget === inView) ?? widgets.find(widget => widget);
      return widget ? app.serviceManager.contents.localPath(widget.context.path) : null;
    };
    const panel = new ProblemsPanel(client, places, trans, {
      current,
      open: location => void places.open(location),
      openRule: rule => void app.commands.execute(COMMANDS.openRule, { rule }),
      fixAll: () => void app.commands.execute(COMMANDS.fixAll)
    });
    restorer?.add(panel, 'torchwise-problems');
    notebooks?.currentChanged.connect(() => panel.refresh());
    files?.currentChanged.connect(() => panel.refresh());
    // Below in Notebook is a strip of tabs, without room for what is in them.
    addCommands(app, torchwise, panel, current, shell ? 'down' : 'right');
    addMoves(app, torchwise, current);
    for (const command of [
      COMMANDS.openProblems,
      COMMANDS.quickFix,
      COMMANDS.fixAll,
      COMMANDS.nextProblem,
      COMMANDS.previousProblem
    ]) {
      palette?.addItem({ command, category: CATEGORY });
    }
  }
};

const ANY = { args: { type: 'object', properties: {} } } as const;

function addCommands(
  app: JupyterFrontEnd,
  { client, places, fixes, trans }: ITorchwise,
  panel: ProblemsPanel,
  current: () => string | null,
  area: 'down' | 'right'
): void {
  const inView = () => client.texts.filter(text => places.pathOf(text.uri) === current());
  app.commands.addCommand(COMMANDS.openProblems, {
    label: trans.__('Problems Found in PyTorch Code'),
    describedBy: ANY,
    execute: () => {
      if (!panel.isAttached) {
        app.shell.add(panel, area, { rank: 50 });
      }
      app.shell.activateById(panel.id);
    }
  });
  app.commands.addCommand(COMMANDS.quickFix, {
    label: trans.__('Fix What Is Found Here…'),
    describedBy: ANY,
    isEnabled: () => places.active !== null,
    execute: () => places.active && fixes.choose(places.active.text, places.active.editor)
  });
  app.commands.addCommand(COMMANDS.fixAll, {
    label: trans.__('Fix All That Can Be Fixed Safely'),
    describedBy: ANY,
    isEnabled: () => inView().length > 0,
    execute: () => fixes.all(inView()[0])
  });
  app.commands.addCommand(COMMANDS.status, {
    describedBy: ANY,
    execute: () => ({
      state: client.state,
      texts: client.texts.map(text => ({
        uri: text.uri,
        version: text.version,
        findings: text.diagnostics.length
      }))
    })
  });
}

function addMoves(
  app: JupyterFrontEnd,
  { client, places, trans }: ITorchwise,
  current: () => string | null
): void {
  for (const [command, label, step] of [
    [COMMANDS.nextProblem, trans.__('Go to the Next Problem'), 1],
    [COMMANDS.previousProblem, trans.__('Go to the Previous Problem'), -1]
  ] as const) {
    app.commands.addCommand(command, {
      label,
      describedBy: ANY,
      isEnabled: () => current() !== null,
      execute: () => {
        const rows = problemsOf(client, places, current() ?? '').flatMap(group => group.problems);
        const next = neighbour(rows, places, step);
        return next && places.open(next);
      }
    });
  }
}

/** From the cursor, through the cells and round. */
function neighbour(rows: IProblem[], places: Places, step: 1 | -1): Location | null {
  if (!rows.length) {
    return null;
  }
  const active = places.active;
  const cursor = active?.editor.getCursorPosition();
  const at = { line: cursor?.line ?? 0, character: cursor?.column ?? 0 };
  const order = (row: IProblem) =>
    row.cell - (active?.text.cell ?? 0) || compare(row.location.range.start, at);
  const ahead = step > 0 ? rows.find(row => order(row) > 0) : rows.findLast(row => order(row) < 0);
  return (ahead ?? (step > 0 ? rows[0] : rows[rows.length - 1])).location;
}
