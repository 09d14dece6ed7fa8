/** The device of a notebook, in its toolbar: which one it is, and another one. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import {
  Dialog,
  ICommandPalette,
  IToolbarWidgetRegistry,
  ReactWidget,
  showDialog,
  UseSignal
} from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';
import { choicesOf, deviceName, type IChoice } from '../devices';
import { CATEGORY, COMMANDS, ITorchwise } from '../torchwise';

export const devices: JupyterFrontEndPlugin<void> = {
  id: '@torchwise/lab:devices',
  description: 'Which device a notebook runs on',
  autoStart: true,
  requires: [ITorchwise, INotebookTracker],
  optional: [IToolbarWidgetRegistry, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    torchwise: ITorchwise,
    notebooks: INotebookTracker,
    toolbars: IToolbarWidgetRegistry | null,
    palette: ICommandPalette | null
  ) => {
    const picker = new Picker(app, torchwise);
    toolbars?.addFactory<NotebookPanel>('Notebook', 'torchwise-device', panel => {
      const button = ReactWidget.create(
        <UseSignal signal={panel.sessionContext.kernelChanged}>
          {() => picker.button(panel)}
        </UseSignal>
      );
      button.addClass('tw-DeviceButton');
      return button;
    });
    app.commands.addCommand(COMMANDS.chooseDevice, {
      label: torchwise.trans.__('Choose the Device of This Notebook…'),
      describedBy: {
        args: { type: 'object', properties: { kernel: { type: 'string' } } }
      },
      isEnabled: () => notebooks.currentWidget !== null,
      execute: async args => {
        const panel = notebooks.currentWidget;
        if (panel && typeof args.kernel === 'string') {
          await picker.change(panel, args.kernel);
        } else if (panel) {
          await picker.open(panel, panel.toolbar.node);
        }
      }
    });
    palette?.addItem({ command: COMMANDS.chooseDevice, category: CATEGORY });
  }
};

class Picker {
  constructor(
    private app: JupyterFrontEnd,
    private torchwise: ITorchwise
  ) {}

  button(panel: NotebookPanel) {
    const { trans } = this.torchwise;
    const name = this.label(panel.sessionContext.session?.kernel?.name ?? '');
    return (
      <button
        type="button"
        className="tw-DevicePicker"
        title={trans.__('The device that this notebook runs on')}
        aria-haspopup="menu"
        onClick={event => void this.open(panel, event.currentTarget)}
      >
        {trans.__('Device: %1', name)}
        <span aria-hidden> ▾</span>
      </button>
    );
  }

  /** Of a kernelspec. */
  private label(name: string): string {
    const spec = this.app.serviceManager.kernelspecs.specs?.kernelspecs[name];
    const own = (spec?.metadata as { torchwise?: { device?: string } } | undefined)?.torchwise;
    return own?.device ? deviceName(own.device) : this.torchwise.trans.__('any');
  }

  async open(panel: NotebookPanel, below: HTMLElement): Promise<void> {
    const { trans, info } = this.torchwise;
    await this.app.serviceManager.kernelspecs.ready;
    const specs = this.app.serviceManager.kernelspecs.specs?.kernelspecs ?? {};
    const choices = choicesOf(specs, (await info).cudaDevices);
    const current = panel.sessionContext.session?.kernel?.name;
    const commands = new CommandRegistry();
    const menu = new Menu({ commands });
    menu.addClass('tw-DeviceMenu');
    let own = true;
    for (const choice of choices) {
      if (own && choice.device === null && menu.items.length) {
        menu.addItem({ type: 'separator' });
      }
      own = choice.device !== null;
      commands.addCommand(choice.name, {
        label: choice.missing ? trans.__('%1 (none on this machine)', choice.label) : choice.label,
        isToggled: () => choice.name === current,
        isToggleable: true,
        isEnabled: () => !choice.missing,
        execute: () => this.change(panel, choice.name)
      });
      menu.addItem({ command: choice.name });
    }
    const { left, bottom } = below.getBoundingClientRect();
    menu.open(left, bottom);
  }

  /** Says what it does to the state before it does it. */
  async change(panel: NotebookPanel, name: string): Promise<void> {
    const { trans } = this.torchwise;
    const context = panel.sessionContext;
    const before = context.session?.kernel?.name;
    if (before === name) {
      return;
    }
    const cells = [...panel.context.model.cells];
    const runs = cells.filter(
      cell => cell.type === 'code' && (cell as { executionCount?: number | null }).executionCount
    ).length;
    if (before && runs) {
      const sentence = trans._n(
        'A new kernel starts. %1 cell was run in the one before: its variables end with it, and it has to be run again.',
        'A new kernel starts. %1 cells were run in the one before: their variables end with it, and they have to be run again.',
        runs
      );
      const answer = await showDialog({
        title: trans.__('Run on %1?', this.choiceLabel(name)),
        body: sentence,
        buttons: [
          Dialog.cancelButton({ label: trans.__('Stay') }),
          Dialog.okButton({ label: trans.__('Change the device') })
        ]
      });
      if (!answer.button.accept) {
        return;
      }
    }
    await context.changeKernel({ name });
  }

  private choiceLabel(name: string): string {
    const specs = this.app.serviceManager.kernelspecs.specs?.kernelspecs ?? {};
    const found: IChoice | undefined = choicesOf(specs, null).find(choice => choice.name === name);
    return found?.label ?? name;
  }
}
