/**
 * The editors on a text: cells and files, second views, and cells that are drawn later.
 *
 * An editor is joined to its text by the shared model, which both know.
 */

import type { Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';
import type { ISharedText } from '@jupyter/ydoc';

export class Views {
  /** `show` is called for every view that comes, once it may be changed. */
  extension(model: ISharedText, show: (view: EditorView) => void): Extension {
    return ViewPlugin.define(view => {
      const views = this.byModel.get(model) ?? new Set();
      this.byModel.set(model, views.add(view));
      queueMicrotask(() => {
        if (views.has(view)) {
          show(view); // a view may not be changed while it is being made
        }
      });
      return { destroy: () => void views.delete(view) };
    });
  }

  of(model: ISharedText): EditorView[] {
    return [...(this.byModel.get(model) ?? [])];
  }

  private byModel = new WeakMap<ISharedText, Set<EditorView>>();
}
