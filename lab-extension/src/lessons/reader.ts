/** A lesson, the page of a rule or an API note, beside the user's own code. */

import { MimeModel } from '@jupyterlab/rendermime';
import type { KernelSpec } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';
import { choicesOf, firstChoice, type IChoice } from '../devices';
import { torchwiseIcon } from '../icons';
import { withOwnLinks } from '../links';
import type { Bench } from './bench';
import type { Course } from './course';
import type { ICell, ILesson, INote, IRulePage } from './messages';
import { buttons, type IDrawing, Output, Snippet } from './snippet';

export interface IReading {
  bench: Bench;
  course: Course;
  drawing: IDrawing;
  trans: TranslationBundle;
  openNotebook(id: string): void;
  /** The kernelspecs, and how many CUDA devices there are. */
  specs(): Promise<{ specs: KernelSpec.ISpecModels; cudaDevices: number | null }>;
}

/** As many cells are drawn before the page is shown; the others follow. */
const AT_ONCE = 12;

export class Reader extends Panel {
  constructor(private reading: IReading) {
    super();
    this.id = 'torchwise-reader';
    this.addClass('tw-Reader');
    this.title.icon = torchwiseIcon;
    this.title.label = reading.trans.__('PyTorch lessons');
    this.title.closable = true;
    this.page = new Panel();
    this.page.addClass('tw-Reader-page');
    this.page.node.tabIndex = 0;
    this.bar = new Widget();
    this.bar.addClass('tw-Reader-bar');
    this.bar.node.setAttribute('role', 'toolbar');
    this.addWidget(this.bar);
    this.addWidget(this.page);
    reading.bench.stateChanged.connect(() => this.tellState());
    void this.drawBar();
  }

  override dispose(): void {
    void this.reading.bench.stop();
    super.dispose();
  }

  // -- what is shown -------------------------------------------------------------------------------------

  showLesson(id: string, anchor: string | null): Promise<void> {
    return this.orTell(id, async () => {
      if (this.lesson?.lesson.id !== id) {
        const lesson = await this.reading.course.show(id);
        this.begin(lesson.lesson.title);
        this.lesson = lesson;
        await this.draw(lesson);
      }
      this.scrollTo(anchor);
    });
  }

  showRule(rule: string): Promise<void> {
    return this.orTell(rule, () => this.drawRule(rule));
  }

  showNote(symbol: string): Promise<void> {
    return this.orTell(symbol, () => this.drawNote(symbol));
  }

  /** What cannot be shown is told in its place. */
  private async orTell(what: string, draw: () => Promise<void>): Promise<void> {
    try {
      await draw();
    } catch (error) {
      this.begin(what);
      await this.text(
        this.reading.trans.__('`%1` cannot be shown: %2', what, (error as Error).message)
      );
    }
  }

  private async drawRule(rule: string): Promise<void> {
    const page = await this.reading.course.rulePage(rule);
    this.begin(`${page.code} ${page.name}`);
    await this.text(page.markdown);
    this.page.addWidget(this.proofs(page));
    if (page.lesson) {
      const { trans } = this.reading;
      await this.text(`[${trans.__('The lesson about this')}](lesson:${page.lesson})`);
    }
  }

  private async drawNote(symbol: string): Promise<void> {
    const { trans, course } = this.reading;
    const note: INote = await course.apiNote(symbol);
    this.begin(note.symbol);
    await this.text(note.markdown ?? trans.__('There is no note about `%1`.', symbol));
    if (note.lesson) {
      await this.text(`[${trans.__('The lesson about this')}](lesson:${note.lesson})`);
    }
  }

  private begin(title: string): void {
    this.lesson = null;
    this.title.label = title;
    this.title.caption = title;
    for (const widget of [...this.page.widgets]) {
      widget.dispose();
    }
    this.page.node.scrollTop = 0;
  }

  // -- lessons -------------------------------------------------------------------------------------------

  private async draw(lesson: ILesson): Promise<void> {
    const { trans, course, openNotebook } = this.reading;
    const { id } = lesson.lesson;
    this.page.addWidget(
      buttons([
        { label: trans.__('Open as notebook'), name: 'notebook', press: () => openNotebook(id) },
        {
          label: lesson.lesson.done ? trans.__('Done ✓') : trans.__('Mark as done'),
          name: 'done',
          press: () => this.markDone(course, id)
        }
      ])
    );
    let anchor = '';
    let drawn = 0;
    for (const cell of lesson.cells) {
      if (this.lesson !== lesson) {
        return; // something else is shown by now
      }
      const from = this.page.widgets.length;
      await this.cell(cell, lesson);
      if (cell.anchor !== anchor) {
        anchor = cell.anchor;
        this.page.widgets[from]?.node.setAttribute('data-anchor', anchor);
      }
      if (++drawn % AT_ONCE === 0) {
        await new Promise(requestAnimationFrame);
      }
    }
    this.watchSections(id);
  }

  private async markDone(course: Course, id: string): Promise<void> {
    const button = this.page.node.querySelector('.tw-Button-done');
    const done = !!this.lesson && !this.lesson.lesson.done;
    await course.note(id, { done });
    if (this.lesson && button) {
      this.lesson.lesson.done = done;
      const { trans } = this.reading;
      button.textContent = done ? trans.__('Done ✓') : trans.__('Mark as done');
    }
  }

  private async cell(cell: ICell, lesson: ILesson): Promise<void> {
    if (cell.kind === 'markdown') {
      await this.text(cell.source);
    } else if (cell.role === 'start') {
      const of = (role: string) =>
        lesson.cells.find(row => row.exercise === cell.exercise && row.role === role)?.source ?? '';
      this.page.addWidget(this.exercise(cell, of('solution'), of('check')));
    } else if (cell.role !== 'solution' && cell.role !== 'check') {
      this.page.addWidget(this.snippet(cell));
    }
  }

  private snippet(cell: ICell): Snippet {
    const { bench, drawing, trans } = this.reading;
    const snippet = new Snippet(drawing, cell.source, own => [
      {
        label: trans.__('Run'),
        name: 'run',
        press: () => own.output.follow(bench.execute(own.source))
      }
    ]);
    snippet.node.dataset.snippet = cell.name ?? '';
    if (cell.raises) {
      snippet.node.title = trans.__('This is meant to fail: %1', cell.raises);
    }
    return snippet;
  }

  private exercise(cell: ICell, solution: string, check: string): Snippet {
    const { bench, drawing, trans } = this.reading;
    const checked = async (own: Snippet) => {
      const parts: [string, string][] = [
        ['exercise', own.source],
        ['check', check]
      ];
      const ended = await own.output.follow(bench.program(parts));
      own.toggleClass('tw-mod-solved', ended === 'ok');
      own.output.say(ended === 'ok' ? trans.__('✓ Solved') : trans.__('✗ Not yet'));
    };
    const snippet = new Snippet(drawing, cell.source, own => [
      {
        label: trans.__('Run'),
        name: 'run',
        press: () => own.output.follow(bench.program([['exercise', own.source]]))
      },
      { label: trans.__('Check'), name: 'check', accept: true, press: () => checked(own) },
      {
        label: trans.__('Show a solution'),
        name: 'solution',
        press: () => {
          own.source = solution;
        }
      },
      {
        label: trans.__('Start again'),
        name: 'again',
        press: () => {
          own.source = cell.source;
        }
      }
    ]);
    snippet.addClass('tw-Exercise');
    snippet.node.dataset.exercise = cell.exercise ?? '';
    return snippet;
  }

  /** A section counts as read once its end was in view. */
  private watchSections(id: string): void {
    const nodes = [...this.page.node.querySelectorAll<HTMLElement>('[data-anchor]')];
    this.observer?.disconnect();
    this.observer = new IntersectionObserver(
      entries => {
        for (const { isIntersecting, target } of entries) {
          const before = nodes[nodes.indexOf(target as HTMLElement) - 1]?.dataset.anchor;
          if (isIntersecting && before && this.lesson?.lesson.id === id) {
            this.observer?.unobserve(target);
            void this.reading.course.note(id, { read: before });
          }
        }
      },
      { root: this.page.node }
    );
    for (const node of nodes) {
      this.observer.observe(node);
    }
  }

  private scrollTo(anchor: string | null): void {
    const quoted = anchor && CSS.escape(anchor);
    const node = quoted && this.page.node.querySelector(`[data-anchor="${quoted}"]`);
    if (node) {
      node.scrollIntoView({ block: 'start' });
    } else {
      this.page.node.scrollTop = 0;
    }
  }

  // -- rules ---------------------------------------------------------------------------------------------

  private proofs(page: IRulePage): Panel {
    const { bench, drawing, trans } = this.reading;
    const panel = new Panel();
    panel.addClass('tw-Proofs');
    const output = new Output(drawing);
    const shown = (name: string, program: string) => async () => {
      const ended = await output.follow(bench.program([[name, program]], page.files));
      if (ended === 'ok' && !output.model.length) {
        output.say(trans.__('It ran to its end, and printed nothing'));
      }
      output.node.scrollIntoView({ block: 'nearest' });
    };
    panel.addWidget(
      buttons([
        { label: trans.__('Show it fail'), name: 'fail', press: shown('bad', page.bad) },
        {
          label: trans.__('Show it fixed'),
          name: 'fixed',
          accept: true,
          press: shown('good', page.good)
        }
      ])
    );
    panel.addWidget(output);
    return panel;
  }

  private async text(markdown: string): Promise<void> {
    const renderer = this.reading.drawing.rendermime.createRenderer('text/markdown');
    renderer.addClass('tw-Text');
    this.page.addWidget(renderer);
    const data = { 'text/markdown': withOwnLinks(markdown) };
    await renderer.renderModel(new MimeModel({ data, trusted: true }));
  }

  // -- the bar -------------------------------------------------------------------------------------------

  private async drawBar(): Promise<void> {
    const { bench, trans, specs } = this.reading;
    const known = await specs();
    const choices = choicesOf(known.specs.kernelspecs, known.cudaDevices);
    bench.choice ||= firstChoice(choices, known.specs.default);
    const picker = document.createElement('select');
    picker.className = 'tw-Device';
    picker.setAttribute('aria-label', trans.__('Device that snippets run on'));
    picker.append(...choices.map(choice => this.option(choice)));
    picker.value = bench.choice;
    picker.onchange = () => void this.choose(picker.value);
    const controls = buttons([
      { label: trans.__('Interrupt'), name: 'interrupt', press: () => bench.interrupt() },
      { label: trans.__('Restart'), name: 'restart', press: () => bench.restart() }
    ]);
    this.state.className = 'tw-Reader-state';
    this.state.setAttribute('role', 'status');
    this.bar.node.append(picker, controls.node, this.state);
    this.tellState();
  }

  private option(choice: IChoice): HTMLOptionElement {
    const { trans } = this.reading;
    const label = choice.missing ? trans.__('%1 (none here)', choice.label) : choice.label;
    const option = new Option(label, choice.name);
    option.disabled = choice.missing;
    return option;
  }

  private async choose(name: string): Promise<void> {
    const { bench, trans } = this.reading;
    const lost = bench.runs;
    await bench.choose(name);
    if (lost) {
      this.state.textContent = trans._n(
        'Another kernel: %1 snippet has to be run again',
        'Another kernel: %1 snippets have to be run again',
        lost
      );
    }
  }

  private tellState(): void {
    const { bench, trans } = this.reading;
    const said = {
      none: trans.__('No kernel yet'),
      starting: trans.__('Kernel starts…'),
      busy: trans.__('Running…'),
      idle: trans.__('Ready'),
      dead: trans.__('The kernel died; another one is started, and all variables are gone')
    };
    this.state.textContent = said[bench.state];
    this.bar.node.dataset.state = bench.state;
  }

  private bar: Widget;
  private page: Panel;
  private state = document.createElement('span');
  private lesson: ILesson | null = null;
  private observer: IntersectionObserver | null = null;
}
