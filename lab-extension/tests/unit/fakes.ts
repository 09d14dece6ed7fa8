/** A teller that writes down what it is told, and models as JupyterLab has them. */

import { type ISharedText, YCodeCell, YFile } from '@jupyter/ydoc';
import type { ICodeCell, ITeller, OpenText } from '../../src/documents';

export interface ISaid {
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages are looked into freely
  params: any;
}

export class FakeTeller implements ITeller {
  ready = true;
  debounceMs = 5;
  said: ISaid[] = [];
  texts = new Set<OpenText>();

  notify(method: string, params: unknown): void {
    this.said.push({ method, params });
  }

  add(text: OpenText): void {
    this.texts.add(text);
    text.model.changed.connect(this.follow, this);
  }

  remove(text: OpenText): void {
    this.texts.delete(text);
    text.model.changed.disconnect(this.follow, this);
  }

  last(): ISaid {
    return this.said[this.said.length - 1];
  }

  private follow(model: ISharedText, change: { sourceChange?: unknown }): void {
    if (change.sourceChange) {
      for (const text of this.texts) {
        if (text.model === model) {
          text.owner.changed(text);
        }
      }
    }
  }
}

export function file(source: string): YFile {
  const model = new YFile();
  model.setSource(source);
  model.clearUndoHistory();
  return model;
}

export function cells(...sources: string[]): ICodeCell[] {
  return sources.map((source, index) => {
    const model = YCodeCell.create();
    model.setSource(source);
    return { id: `c${index}`, model, number: index + 1 };
  });
}
