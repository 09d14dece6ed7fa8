/** A piece of code that can be changed and run, with what it gave below it. */

import { CodeEditor, CodeEditorWrapper, type IEditorFactoryService } from '@jupyterlab/codeeditor';
import { OutputArea, OutputAreaModel } from '@jupyterlab/outputarea';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';
import type { Future } from './bench';

export interface IDrawing {
  rendermime: IRenderMimeRegistry;
  factory: IEditorFactoryService;
  trans: TranslationBundle;
}

export class Output extends OutputArea {
  constructor(private drawing: IDrawing) {
    super({ model: new OutputAreaModel({ trusted: true }), rendermime: drawing.rendermime });
    this.addClass('tw-Output');
  }

  /** Shows what comes, and answers how it ended; what was shown before goes. */
  async follow(future: Promise<Future>): Promise<'ok' | 'error' | 'aborted'> {
    this.model.clear();
    this.addClass('tw-mod-running');
    let running: Future | undefined;
    try {
      running = await future;
      this.future = running;
      const reply = await running.done;
      return reply.content.status === 'ok'
        ? 'ok'
        : reply.content.status === 'error'
          ? 'error'
          : 'aborted';
    } catch (error) {
      const { trans } = this.drawing;
      const text = running ? trans.__('The kernel ended while this ran') : (error as Error).message;
      this.model.add({ output_type: 'stream', name: 'stderr', text: `${text}\n` });
      return 'aborted';
    } finally {
      this.removeClass('tw-mod-running');
    }
  }

  /** A line of ours. */
  say(text: string): void {
    this.model.add({ output_type: 'stream', name: 'stdout', text: `${text}\n` });
  }
}

export interface IButton {
  label: string;
  name: string;
  press(): unknown;
  accept?: boolean;
}

export function buttons(rows: IButton[]): Widget {
  const node = document.createElement('div');
  node.className = 'tw-Buttons';
  for (const row of rows) {
    const button = document.createElement('button');
    button.className = `jp-mod-styled tw-Button-${row.name}`;
    button.classList.toggle('jp-mod-accept', !!row.accept);
    button.textContent = row.label;
    button.onclick = () => void row.press();
    node.append(button);
  }
  return new Widget({ node });
}

export class Snippet extends Panel {
  constructor(
    drawing: IDrawing,
    source: string,
    rows: (snippet: Snippet) => IButton[],
    readOnly = false
  ) {
    super();
    this.addClass('tw-Snippet');
    const model = new CodeEditor.Model({ mimeType: 'text/x-ipython' });
    model.sharedModel.setSource(source);
    this.model = model;
    const wrapper = new CodeEditorWrapper({
      model,
      factory: drawing.factory.newInlineEditor,
      editorOptions: { config: { readOnly, lineWrap: false } }
    });
    wrapper.addClass('tw-Snippet-editor');
    this.addWidget(wrapper);
    this.output = new Output(drawing);
    this.addWidget(buttons(rows(this)));
    this.addWidget(this.output);
  }

  readonly output: Output;

  get source(): string {
    return this.model.sharedModel.getSource();
  }

  set source(text: string) {
    this.model.sharedModel.setSource(text);
  }

  private model: CodeEditor.Model;
}
