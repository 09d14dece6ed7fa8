/**
 * Links to what we can show ourselves: `rule:NAME`, `lesson:ID#ANCHOR`, `note:SYMBOL`.
 *
 * JupyterLab's sanitiser removes addresses that it does not know, so they are made fragments before rendering.
 */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { COMMANDS } from './torchwise';

const MARK = '#torchwise:';

export interface ILink {
  kind: 'rule' | 'lesson' | 'note';
  target: string;
}

export function withOwnLinks(markdown: string): string {
  return markdown.replace(/\]\((rule|lesson|note):([^)\s]+)\)/g, (_, kind, target) => {
    return `](${MARK}${kind}:${encodeURIComponent(target)})`;
  });
}

export function linkOf(href: string): ILink | null {
  const found = /^#torchwise:(rule|lesson|note):(.*)$/.exec(href);
  return found ? { kind: found[1] as ILink['kind'], target: decodeURIComponent(found[2]) } : null;
}

/** To listen to clicks with, before JupyterLab does. */
export function followLinks(app: JupyterFrontEnd, event: Event): void {
  const anchor = (event.target as Element | null)?.closest?.('a');
  const link = anchor && linkOf(anchor.getAttribute('href') ?? '');
  if (!link) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  if (link.kind === 'lesson') {
    const [id, anchor] = link.target.split('#');
    void app.commands.execute(COMMANDS.openLesson, {
      id,
      anchor: anchor ?? null
    });
  } else if (link.kind === 'rule') {
    void app.commands.execute(COMMANDS.openRule, { rule: link.target });
  } else {
    void app.commands.execute(COMMANDS.openRule, { note: link.target });
  }
}
