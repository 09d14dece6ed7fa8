/** The course as the server knows it. */

import { type ISignal, Signal } from '@lumino/signaling';
import type { Client } from '../client';
import type { IHit, ILesson, ILessonList, INote, IRulePage } from './messages';

const GROUP = 'torchwise.lessons.';

export class Course {
  constructor(private client: Client) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  list(): Promise<ILessonList> {
    return this.client.execute(`${GROUP}list`);
  }

  show(id: string): Promise<ILesson> {
    return this.client.execute(`${GROUP}show`, { id });
  }

  async search(text: string): Promise<IHit[]> {
    const { hits } = await this.client.execute<{ hits: IHit[] }>(`${GROUP}search`, { text });
    return hits;
  }

  /** `read`: the anchor of a section. */
  async note(lesson: string, news: { done?: boolean; read?: string }): Promise<void> {
    await this.client.execute(`${GROUP}progress`, { lesson, ...news });
    this._changed.emit();
  }

  rulePage(rule: string): Promise<IRulePage> {
    return this.client.execute(`${GROUP}rulePage`, { rule });
  }

  apiNote(symbol: string): Promise<INote> {
    return this.client.execute(`${GROUP}note`, { symbol });
  }

  private _changed = new Signal<this, void>(this);
}
