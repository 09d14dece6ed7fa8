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
import type { JSONObject } from '@lumino/coreutils';
import { choicesOf, firstChoice } from '../devices';
import { nameOf } from '../editor/diagnostics';
import { torchwiseIcon } from '../icons';
import { Bench } from '../lessons/bench';
import { Course } from '../lessons/course';
import { ownCopy } from '../lessons/notebook';
import { LessonsPanel } from '../lessons/panel';
import { type IReading, Reader } from '../lessons/reader';
import type { IDrawing } from '../lessons/snippet';
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
    const drawing = { rendermime, factory: editors.factoryService, trans: torchwise.trans };
    const desk = new Desk(app, torchwise, drawing, shell ? 'main' : 'right', settings);
    const panel = new LessonsPanel({
      client,
      course: desk.course,
      trans,
      actions: {
        read: (id, anchor) => void app.commands.execute(COMMANDS.openLesson, { id, anchor }),
        openNotebook: id => void desk.openNotebook(id)
      }
    });
    app.shell.add(panel, 'left', { rank: 600 });
    restorer?.add(panel, 'torchwise-lessons');
    document.addEventListener('click', event => followLinks(app, event), true);
    addCommands(app, torchwise, desk, panel.id);
    palette?.addItem({ command: COMMANDS.openLessons, category: CATEGORY });
    palette?.addItem({ command: COMMANDS.lessonForFinding, category: CATEGORY });
    launcher?.add({ command: COMMANDS.openLessons, category: trans.__('Other'), rank: 5 });
  }
};

/** Stateful: the reader that is open, with its kernel. */
class Desk {
  constructor(
    private app: JupyterFrontEnd,
    private torchwise: ITorchwise,
    private drawing: IDrawing,
    private area: 'main' | 'right',
    private settings: ISettingRegistry | null
  ) {
    this.course = new Course(torchwise.client);
    this.reading = {
      course: this.course,
      trans: torchwise.trans,
      bench: new Bench(app.serviceManager, torchwise.script),
      drawing: this.drawing,
      openNotebook: id => void this.openNotebook(id),
      specs: () => this.specs()
    };
  }

  readonly course: Course;

  /** Beside what is in view; in Notebook, which shows one document only, in its side panel. */
  get shown(): Reader {
    if (!this.reader || this.reader.isDisposed) {
      this.reader = new Reader(this.reading);
      this.app.shell.add(this.reader, this.area, { mode: 'split-right', activate: false });
    }
    this.app.shell.activateById(this.reader.id);
    return this.reader;
  }

  async openNotebook(id: string): Promise<void> {
    try {
      const lesson = await this.course.show(id);
      const { specs, cudaDevices } = await this.specs();
      const kernel = firstChoice(choicesOf(specs.kernelspecs, cudaDevices), specs.default);
      const loaded = await this.settings?.load(SETTINGS);
      const folder = (loaded?.composite.lessonsFolder as string) || 'torchwise-lessons';
      const path = await ownCopy(this.app.serviceManager.contents, folder, lesson, kernel);
      await this.app.commands.execute('docmanager:open', { path, factory: 'Notebook' });
    } catch (error) {
      Notification.error((error as Error).message, { autoClose: 8000 });
    }
  }

  private async specs(): ReturnType<IReading['specs']> {
    const { kernelspecs } = this.app.serviceManager;
    await kernelspecs.ready;
    if (!kernelspecs.specs) {
      throw new Error(this.torchwise.trans.__('There are no kernels'));
    }
    return { specs: kernelspecs.specs, cudaDevices: (await this.torchwise.info).cudaDevices };
  }

  private reading: IReading;
  private reader: Reader | null = null;
}

function addCommands(app: JupyterFrontEnd, torchwise: ITorchwise, desk: Desk, panel: string): void {
  const { places, trans } = torchwise;
  app.commands.addCommand(COMMANDS.openLessons, {
    label: trans.__('PyTorch Lessons'),
    caption: trans.__('Lessons about PyTorch, to read and to run'),
    icon: torchwiseIcon,
    describedBy: taking({}),
    execute: () => app.shell.activateById(panel)
  });
  app.commands.addCommand(COMMANDS.openLesson, {
    label: trans.__('Open a Lesson'),
    describedBy: taking({ id: { type: 'string' }, anchor: { type: ['string', 'null'] } }),
    execute: args => desk.shown.showLesson(String(args.id), (args.anchor as string | null) ?? null)
  });
  app.commands.addCommand(COMMANDS.openRule, {
    label: trans.__('Open the Page of a Rule'),
    describedBy: taking({ rule: { type: 'string' }, note: { type: 'string' } }),
    execute: args =>
      args.note ? desk.shown.showNote(String(args.note)) : desk.shown.showRule(String(args.rule))
  });
  app.commands.addCommand(COMMANDS.lessonForFinding, {
    label: trans.__('Open the Lesson for This Finding'),
    describedBy: taking({}),
    isEnabled: () => places.active !== null,
    execute: () => openLessonAtCursor(app, torchwise, desk.course)
  });
}

function taking(properties: JSONObject) {
  return { args: { type: 'object', properties } };
}

async function openLessonAtCursor(
  app: JupyterFrontEnd,
  torchwise: ITorchwise,
  course: Course
): Promise<void> {
  const rule = ruleAtCursor(torchwise);
  if (rule === null) {
    const text = torchwise.trans.__('Nothing was found at the cursor');
    Notification.info(text, { autoClose: 3000 });
    return;
  }
  const { lesson } = await course.rulePage(rule);
  const [id, anchor] = (lesson ?? '').split('#');
  await (lesson
    ? app.commands.execute(COMMANDS.openLesson, { id, anchor: anchor ?? null })
    : app.commands.execute(COMMANDS.openRule, { rule }));
}

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
