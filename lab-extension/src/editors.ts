/** What every CodeMirror editor of JupyterLab gets from us, and what is drawn in it when something is known. */

import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { ISharedText } from '@jupyter/ydoc';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { InlayHint } from 'vscode-languageserver-types';
import type { Client } from './client';
import type { OpenDocument, OpenText } from './documents';
import { diagnosticsExtension, type Explain, showDiagnostics } from './editor/diagnostics';
import { hintsExtension, type IHint, showHints } from './editor/hints';
import { hoverExtension } from './editor/hover';
import { Views } from './editor/views';
import { offsetIn, positionIn } from './positions';

/** After findings came: hints are for the moment when one stops to look. */
const HINTS_AFTER_MS = 350;

export interface IShown {
  findings: boolean;
  hints: boolean;
}

export class Editors {
  constructor(
    private client: Client,
    private rendermime: IRenderMimeRegistry,
    private explain: Explain,
    private follow: (event: Event) => void
  ) {
    client.found.connect((_, text) => {
      this.show(text.model);
      this.hintSoon(text.owner);
    });
    client.refreshed.connect(() => this.refresh());
  }

  /** The user's settings. */
  shown: IShown = { findings: true, hints: true };

  /** Changes what is drawn as hints; the result stands until the next change of the text. */
  overlay: (text: OpenText, hints: IHint[]) => IHint[] = (_, hints) => hints;

  refresh(): void {
    for (const document of this.client.documents) {
      for (const text of document.texts) {
        this.show(text.model);
      }
      this.hintSoon(document);
    }
  }

  extension(model: ISharedText): Extension {
    return [
      this.views.extension(model, view => this.showIn(view, model)),
      diagnosticsExtension(),
      hintsExtension(),
      hoverExtension(
        async (view, offset) => {
          const text = this.client.textOf(model);
          return text ? this.client.hover(text, positionIn(view.state.doc, offset)) : null;
        },
        this.rendermime,
        this.follow
      )
    ];
  }

  private show(model: ISharedText): void {
    for (const view of this.views.of(model)) {
      this.showIn(view, model);
    }
  }

  private showIn(view: EditorView, model: ISharedText): void {
    const text = this.client.textOf(model);
    showDiagnostics(view, this.shown.findings ? text : undefined, this.explain);
    if (!text) {
      showHints(view, []);
    }
  }

  private hintSoon(document: OpenDocument): void {
    this.hinted.set(document, new WeakSet());
    this.hintLater(document);
  }

  private hintLater(document: OpenDocument): void {
    clearTimeout(this.timers.get(document));
    const timer = setTimeout(() => void this.hint(document), HINTS_AFTER_MS);
    this.timers.set(document, timer);
  }

  /** What is on the screen, one after another; another change of the text ends it. */
  private async hint(document: OpenDocument): Promise<void> {
    const done = this.hinted.get(document) ?? new WeakSet();
    for (const text of document.texts) {
      if (this.hinted.get(document) !== done) {
        return;
      }
      if (this.views.isOnScreen(text.model) && !done.has(text)) {
        done.add(text);
        await this.hintIn(text).catch(() => done.delete(text));
      }
    }
  }

  private async hintIn(text: OpenText): Promise<void> {
    const version = text.version;
    const found = this.shown.hints ? ((await this.client.inlayHints(text)) ?? []) : [];
    if (text.version !== version) {
      return; // the newer text brings its own
    }
    for (const view of this.views.of(text.model)) {
      const hints = found.map(hint => converted(view, hint));
      showHints(view, this.overlay(text, hints));
    }
  }

  private views = new Views(model => {
    const text = this.client.textOf(model);
    if (text && !this.hinted.get(text.owner)?.has(text)) {
      this.hintLater(text.owner);
    }
  });
  /** The texts whose hints are those of now. */
  private hinted = new WeakMap<OpenDocument, WeakSet<OpenText>>();
  private timers = new WeakMap<OpenDocument, number>();
}

function converted(view: EditorView, hint: InlayHint): IHint {
  const label =
    typeof hint.label === 'string' ? hint.label : hint.label.map(part => part.value).join('');
  const tooltip = hint.tooltip ?? '';
  return {
    offset: offsetIn(view.state.doc, hint.position),
    label,
    tooltip: typeof tooltip === 'string' ? tooltip : tooltip.value.replace(/[`*]/g, ''),
    kind: 'inferred'
  };
}
