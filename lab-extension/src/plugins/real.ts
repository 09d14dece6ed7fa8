/** What really is: shapes that the kernel holds, and where Dynamo breaks graphs. Both run on request only. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { IEditorTracker } from '@jupyterlab/fileeditor';
import { INotebookTracker, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import type { OpenText } from '../documents';
import type { IHint } from '../editor/hints';
import { entryAt } from '../entry';
import { calling, shownBy } from '../kernels';
import { agrees, labelOf, lastBindings, type Observed, tooltipOf } from '../observed';
import { type ICompileReport, ReportPanel } from '../report';
import { CATEGORY, COMMANDS, ITorchwise } from '../torchwise';

const OBSERVED = 'application/vnd.torchwise.observed+json';
const COMPILED = 'application/vnd.torchwise.compiled+json';
const ANY = { args: { type: 'object', properties: {} } } as const;

export const real: JupyterFrontEndPlugin<void> = {
  id: '@torchwise/lab:real',
  description: 'Real shapes and graph breaks, from a kernel and on request',
  autoStart: true,
  requires: [ITorchwise],
  optional: [INotebookTracker, IEditorTracker, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    torchwise: ITorchwise,
    notebooks: INotebookTracker | null,
    files: IEditorTracker | null,
    palette: ICommandPalette | null
  ) => {
    const shapes = new RealShapes(torchwise);
    const report = new ReportPanel(torchwise.trans, torchwise.places);
    torchwise.editors.overlay = (text, hints) => report.over(text, shapes.over(text, hints));
    NotebookActions.executed.connect((_, { notebook }) => {
      const panel = notebooks?.find(panel => panel.content === notebook);
      if (panel && shapes.isOn(panel)) {
        void shapes.look(panel).catch(tell);
      }
    });
    app.commands.addCommand(COMMANDS.realShapes, realShapes(torchwise, shapes, notebooks));
    app.commands.addCommand(
      COMMANDS.graphBreaks,
      graphBreaks(app, torchwise, report, notebooks, files)
    );
    palette?.addItem({ command: COMMANDS.realShapes, category: CATEGORY });
    palette?.addItem({ command: COMMANDS.graphBreaks, category: CATEGORY });
  }
};

const tell = (error: Error): unknown => Notification.error(error.message, { autoClose: 8000 });

function realShapes(
  { trans }: ITorchwise,
  shapes: RealShapes,
  notebooks: INotebookTracker | null
): CommandRegistry.ICommandOptions {
  return {
    label: trans.__('Show Real Shapes'),
    caption: trans.__('What the kernel holds, laid over what is inferred'),
    describedBy: ANY,
    isToggleable: true,
    isToggled: () => !!notebooks?.currentWidget && shapes.isOn(notebooks.currentWidget),
    isEnabled: () => !!notebooks?.currentWidget?.sessionContext.session?.kernel,
    execute: () => {
      const panel = notebooks?.currentWidget;
      return panel && shapes.toggle(panel).catch(tell);
    }
  };
}

function graphBreaks(
  { shell }: JupyterFrontEnd,
  torchwise: ITorchwise,
  report: ReportPanel,
  notebooks: INotebookTracker | null,
  files: IEditorTracker | null
): CommandRegistry.ICommandOptions {
  const { places, trans } = torchwise;
  return {
    label: trans.__('Check Graph Breaks for Real'),
    caption: trans.__('Runs the call or the function at the cursor under Dynamo'),
    describedBy: ANY,
    isEnabled: () => places.active !== null,
    execute: async () => {
      const active = places.active;
      if (!active) {
        return;
      }
      const panel = active.text.cell ? notebooks?.currentWidget : null;
      const asked = panel
        ? inKernel(torchwise, panel, active.text)
        : inProcess(torchwise, active.text, active.editor.getCursorPosition().line, files);
      const notice = Notification.emit(trans.__('Dynamo is asked…'), 'in-progress');
      try {
        report.tell(await asked, active.text);
      } catch (error) {
        tell(error as Error);
        return;
      } finally {
        Notification.dismiss(notice);
      }
      if (!report.isAttached) {
        shell.add(report, 'down', { rank: 60 });
      }
      shell.activateById(report.id);
      torchwise.editors.refresh();
    }
  };
}

/** In the notebook's kernel: what the call is made with is there. */
async function inKernel(
  { script, trans }: ITorchwise,
  panel: NotebookPanel,
  text: OpenText
): Promise<ICompileReport> {
  const kernel = panel.sessionContext.session?.kernel;
  if (!kernel) {
    throw new Error(trans.__('This notebook has no kernel'));
  }
  const code = calling(await script('explain'), 'explain', text.source);
  const found = await shownBy<ICompileReport>(kernel, code, COMPILED);
  if (!found) {
    throw new Error(trans.__('The kernel told nothing'));
  }
  return found;
}

/** In a process of its own, which imports the file: it is saved first. */
async function inProcess(
  { client, places, trans }: ITorchwise,
  text: OpenText,
  line: number,
  files: IEditorTracker | null
): Promise<ICompileReport> {
  const entry = entryAt(text.source, line);
  const path = places.pathOf(text.uri);
  if (!entry || path === null) {
    throw new Error(trans.__('There is no function or class at the cursor'));
  }
  const widget = files?.find(file => file.context.path === path);
  if (widget?.context.model.dirty) {
    await widget.context.save();
  }
  client.notify('torchwise/trust', { trusted: true });
  const file = decodeURIComponent(text.uri.replace(/^file:\/\//, ''));
  const found = await client.execute<ICompileReport>('torchwise.kernel.compile', {
    path: file,
    entry
  });
  return { ...found, source: text.source };
}

/** Stateful: what kernels held when they were asked, by notebook. */
class RealShapes {
  constructor(private torchwise: ITorchwise) {}

  isOn(panel: NotebookPanel): boolean {
    return this.known.has(panel.context.path);
  }

  async toggle(panel: NotebookPanel): Promise<void> {
    if (this.isOn(panel)) {
      this.known.delete(panel.context.path);
      this.torchwise.editors.refresh();
    } else {
      await this.look(panel);
    }
  }

  async look(panel: NotebookPanel): Promise<void> {
    const kernel = panel.sessionContext.session?.kernel;
    if (!kernel) {
      throw new Error(this.torchwise.trans.__('This notebook has no kernel'));
    }
    const code = calling(await this.torchwise.script('observe'), 'main');
    const found = await shownBy<{ observed: Observed }>(kernel, code, OBSERVED);
    const sources = new Map<unknown, string>();
    for (const cell of panel.context.model.cells) {
      const ran = (cell as { executionCount?: number | null }).executionCount;
      if (cell.type === 'code' && ran) {
        sources.set(cell.sharedModel, cell.sharedModel.getSource());
      }
    }
    this.known.set(panel.context.path, { observed: found?.observed ?? {}, sources });
    this.torchwise.editors.refresh();
  }

  /** A name is shown where it was bound last, as long as that cell is as it was run. */
  over(text: OpenText, hints: IHint[]): IHint[] {
    const known = this.known.get(this.torchwise.places.pathOf(text.uri) ?? '');
    if (!known || known.sources.get(text.model) !== text.source) {
      return hints;
    }
    const models = [...known.sources.keys()];
    const here = models.indexOf(text.model);
    const kept = new Map(hints.map(hint => [hint.offset, hint]));
    for (const [name, place] of lastBindings([...known.sources.values()])) {
      const form = known.observed[name];
      if (form && place.cell === here) {
        const inferred = kept.get(place.offset);
        kept.set(place.offset, {
          offset: place.offset,
          label: `: ${labelOf(form)}`,
          tooltip: inferred ? `${tooltipOf(form)}\nInferred${inferred.label}` : tooltipOf(form),
          kind: inferred && !agrees(inferred.label, form) ? 'differs' : 'observed'
        });
      }
    }
    return [...kept.values()];
  }

  private known = new Map<string, { observed: Observed; sources: Map<unknown, string> }>();
}
