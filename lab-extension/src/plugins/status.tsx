/** In a notebook's toolbar: how much was found in it, and whether its cells were run out of order. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IToolbarWidgetRegistry, ReactWidget, UseSignal } from '@jupyterlab/apputils';
import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { type IRunCell, type IStale, staleOrder } from '../order';
import { COMMANDS, ITorchwise } from '../torchwise';

export const status: JupyterFrontEndPlugin<void> = {
  id: '@torchwise/lab:status',
  description: 'What was found in a notebook, and whether its cells were run in order',
  autoStart: true,
  requires: [ITorchwise, IToolbarWidgetRegistry],
  activate: (app: JupyterFrontEnd, torchwise: ITorchwise, toolbars: IToolbarWidgetRegistry) => {
    toolbars.addFactory<NotebookPanel>('Notebook', 'torchwise-status', panel => {
      const watch = new Watch(panel, torchwise);
      const widget = ReactWidget.create(
        <UseSignal signal={watch.changed}>
          {() => shown(watch, torchwise.trans, () => app.commands.execute(COMMANDS.openProblems))}
        </UseSignal>
      );
      widget.addClass('tw-StatusItem');
      return widget;
    });
  }
};

function shown(watch: Watch, trans: TranslationBundle, open: () => unknown) {
  const stale = watch.stale();
  const why = stale && said(stale, trans);
  return (
    <button
      type="button"
      className="tw-Status"
      title={why ?? trans.__('List the problems')}
      onClick={() => void open()}
    >
      <span role="status">{watch.count(trans)}</span>
      {why && (
        <span className="tw-Stale" role="status">
          {why}
        </span>
      )}
    </button>
  );
}

function said({ number, after, why }: IStale, trans: TranslationBundle): string {
  if (why === 'rerun') {
    return trans.__('Cell %1 was run after cell %2', after, number);
  }
  return why === 'edited'
    ? trans.__('Cell %1 was changed since it was run', after)
    : trans.__('Cell %1 was run without cell %2', number, after);
}

const AFTER_MS = 250;

/** Stateful: which cells the present kernel has run. */
class Watch {
  constructor(
    private panel: NotebookPanel,
    private torchwise: ITorchwise
  ) {
    const soon = () => this.soon();
    const forget = () => {
      this.ran = new WeakSet();
      this.soon();
    };
    const executed = (
      _: unknown,
      { notebook, cell }: { notebook: unknown; cell: { model: object } }
    ) => {
      if (notebook === panel.content) {
        this.ran.add(cell.model);
        this.soon();
      }
    };
    torchwise.client.found.connect(soon);
    panel.context.model.contentChanged.connect(soon);
    panel.sessionContext.kernelChanged.connect(forget);
    panel.sessionContext.statusChanged.connect((_, status) => {
      if (status === 'restarting' || status === 'autorestarting') {
        forget();
      }
    });
    NotebookActions.executed.connect(executed);
    panel.disposed.connect(() => {
      torchwise.client.found.disconnect(soon);
      NotebookActions.executed.disconnect(executed);
      Signal.clearData(this);
    });
  }

  readonly changed = new Signal<this, void>(this);

  count(trans: TranslationBundle): string {
    const own = new Set(
      [...this.panel.context.model.cells].map(cell => cell.sharedModel as unknown)
    );
    const rows = this.torchwise.client.texts.filter(text => own.has(text.model));
    const count = rows.reduce((sum, text) => sum + text.diagnostics.length, 0);
    return count ? trans._n('%1 problem', '%1 problems', count) : trans.__('No problems');
  }

  stale(): IStale | null {
    const cells: IRunCell[] = [];
    let number = 0;
    for (const cell of this.panel.context.model.cells) {
      number++;
      if (cell.type === 'code' && cell.sharedModel.getSource().trim()) {
        const { executionCount, isDirty } = cell as ICodeCellModel;
        cells.push({
          number,
          count: this.ran.has(cell) ? executionCount : null,
          edited: isDirty
        });
      }
    }
    return staleOrder(cells);
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed.emit(), AFTER_MS);
  }

  private ran = new WeakSet<object>();
  private timer = 0;
}
