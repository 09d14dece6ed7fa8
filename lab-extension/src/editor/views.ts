/**
 * The editors on a text: cells and files, second views, and cells that are drawn later.
 *
 * An editor is joined to its text by the shared model, which both know.
 */

import type { Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';
import type { ISharedText } from '@jupyter/ydoc';

/** Of what is on the screen, and a little more. */
const MARGIN = '200px';

export class Views {
  /** `appeared` is called when a view comes to the screen. */
  constructor(private appeared: (model: ISharedText) => void) {}

  /** `made` is called for every view that comes, once it may be changed. */
  extension(model: ISharedText, made: (view: EditorView) => void): Extension {
    return ViewPlugin.define(view => {
      const views = this.byModel.get(model) ?? new Set();
      this.byModel.set(model, views.add(view));
      this.models.set(view.dom, model);
      this.screen.observe(view.dom);
      queueMicrotask(() => {
        if (views.has(view)) {
          made(view); // a view may not be changed while it is being made
        }
      });
      return {
        destroy: () => {
          views.delete(view);
          this.screen.unobserve(view.dom);
        }
      };
    });
  }

  of(model: ISharedText): EditorView[] {
    return [...(this.byModel.get(model) ?? [])];
  }

  isOnScreen(model: ISharedText): boolean {
    return this.of(model).some(view => this.onScreen.has(view.dom));
  }

  private byModel = new WeakMap<ISharedText, Set<EditorView>>();
  private models = new WeakMap<Element, ISharedText>();
  private onScreen = new WeakSet<Element>();
  private screen = new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries) {
        const model = this.models.get(target);
        if (!isIntersecting) {
          this.onScreen.delete(target);
        } else if (model) {
          this.onScreen.add(target);
          this.appeared(model);
        }
      }
    },
    { rootMargin: MARGIN }
  );
}
