/** The course: its side bar, the reader, and notebooks of the user's own. */

import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { ILauncher } from '@jupyterlab/launcher';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { choicesOf, firstChoice } from '../devices';
import { nameOf } from '../editor/diagnostics';
import { torchwiseIcon } from '../icons';
import { Bench } from '../lessons/bench';
import { Course } from '../lessons/course';
import { ownCopy } from '../lessons/notebook';
import { LessonsPanel } from '../lessons/panel';
import { type IReading, Reader } from '../lessons/reader';
import { followLinks } from '../links';
import { touches } from '../positions';
import { CATEGORY, COMMANDS, ITorchwise } from '../torchwise';

const SETTINGS = '@torchwise/lab:plugin';

export const lessons: JupyterFrontEndPlugin<void> = {
  id: '@torchwise/lab:lessons',
  description: 'Lessons about PyTorch, to read and to run',
  autoStart: true,
  requires: [ITorchwise, IRenderMimeRegistry, IEditorServices],
  optional: [ILabShell, ILauncher, ICommandPalette, ILayoutRestorer, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    torchwise: ITorchwise,
    rendermime: IRenderMimeRegistry,
    editors: IEditorServices,
    shell: ILabShell | null,
    launcher: ILauncher | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    settings: ISettingRegistry | null
  ) => {
    const { client, trans } = torchwise;
    const course = new Course(client);
    const reading: IReading = {
      course,
      trans,
      bench: new Bench(app.serviceManager, torchwise.script),
      drawing: { rendermime, factory: editors.factoryService },
      openNotebook: id => void openNotebook(id).catch(tell),
      specs: async () => {
        await app.serviceManager.kernelspecs.ready;
        const specs = app.serviceManager.kernelspecs.specs;
        if (!specs) {
          throw new Error('there are no kernels');
        }
        return { specs, cudaDevices: (await torchwise.info).cudaDevices };
      }
    };
    let reader: Reader | null = null;

    const panel = new LessonsPanel({
      client,
      course,
      trans,
      actions: {
        read: (id, anchor) => void app.commands.execute(COMMANDS.openLesson, { id, anchor }),
        openNotebook: id => void openNotebook(id).catch(tell)
      }
    });
    app.shell.add(panel, 'left', { rank: 600 });
    restorer?.add(panel, 'torchwise-lessons');
    document.addEventListener('click', event => followLinks(app, event), true);

    /** Beside what is in view; in Notebook, which shows one document only, in its side panel. */
    function shownReader(): Reader {
      if (!reader || reader.isDisposed) {
        reader = new Reader(reading);
        app.shell.add(reader, shell ? 'main' : 'right', { mode: 'split-right', activate: false });
      }
      app.shell.activateById(reader.id);
      return reader;
    }

    async function openNotebook(id: string): Promise<void> {
      const lesson = await course.show(id);
      const { specs, cudaDevices } = await reading.specs();
      const kernel = firstChoice(choicesOf(specs.kernelspecs, cudaDevices), specs.default);
      const loaded = await settings?.load(SETTINGS);
      const folder = (loaded?.composite.lessonsFolder as string) || 'torchwise-lessons';
      const path = await ownCopy(app.serviceManager.contents, folder, lesson, kernel);
      await app.commands.execute('docmanager:open', { path, factory: 'Notebook' });
    }

    function tell(error: Error): void {
      Notification.error(error.message, { autoClose: 8000 });
    }

    app.commands.addCommand(COMMANDS.openLessons, {
      label: trans.__('PyTorch Lessons'),
      caption: trans.__('Lessons about PyTorch, to read and to run'),
      icon: torchwiseIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => app.shell.activateById(panel.id)
    });
    app.commands.addCommand(COMMANDS.openLesson, {
      label: trans.__('Open a Lesson'),
      describedBy: {
        args: {
          type: 'object',
          properties: { id: { type: 'string' }, anchor: { type: ['string', 'null'] } }
        }
      },
      execute: args =>
        shownReader().showLesson(String(args.id), (args.anchor as string | null) ?? null)
    });
    app.commands.addCommand(COMMANDS.openRule, {
      label: trans.__('Open the Page of a Rule'),
      describedBy: {
        args: {
          type: 'object',
          properties: { rule: { type: 'string' }, note: { type: 'string' } }
        }
      },
      execute: args =>
        args.note
          ? shownReader().showNote(String(args.note))
          : shownReader().showRule(String(args.rule))
    });
    app.commands.addCommand(COMMANDS.lessonForFinding, {
      label: trans.__('Open the Lesson for This Finding'),
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => torchwise.places.active !== null,
      execute: async () => {
        const rule = ruleAtCursor(torchwise);
        if (rule === null) {
          Notification.info(trans.__('Nothing was found at the cursor'), { autoClose: 3000 });
          return;
        }
        const { lesson } = await course.rulePage(rule);
        const [id, anchor] = (lesson ?? '').split('#');
        await (lesson
          ? app.commands.execute(COMMANDS.openLesson, { id, anchor: anchor ?? null })
          : app.commands.execute(COMMANDS.openRule, { rule }));
      }
    });
    palette?.addItem({ command: COMMANDS.openLessons, category: CATEGORY });
    palette?.addItem({ command: COMMANDS.lessonForFinding, category: CATEGORY });
    launcher?.add({ command: COMMANDS.openLessons, category: trans.__('Other'), rank: 5 });
  }
};

function ruleAtCursor({ places }: ITorchwise): string | null {
  const active = places.active;
  if (!active) {
    return null;
  }
  const cursor = active.editor.getCursorPosition();
  const at = { line: cursor.line, character: cursor.column };
  const rows = active.text.diagnostics;
  const row =
    rows.find(row => touches(row.range, at)) ?? rows.find(row => row.range.start.line === at.line);
  return row ? nameOf(row) : null;
}
