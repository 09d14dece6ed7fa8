/** What a tooltip says of a finding: the message, the rule, related places, and what can be done. */

import type { TranslationBundle } from '@jupyterlab/translation';
import type * as lsp from 'vscode-languageserver-types';
import type { OpenText } from '../documents';
import { messageOf, nameOf } from './diagnostics';

export interface IExplaining {
  trans: TranslationBundle;
  openRule(name: string): void;
  openPlace(location: lsp.Location): void;
  placeName(location: lsp.Location): string;
  fixes(text: OpenText, diagnostic: lsp.Diagnostic): Promise<lsp.CodeAction[]>;
  apply(text: OpenText, action: lsp.CodeAction): void;
}

export function explanation(
  context: IExplaining,
  text: OpenText,
  row: lsp.Diagnostic
): HTMLElement {
  const node = document.createElement('div');
  node.className = 'tw-Explanation';
  node.append(...withCode(messageOf(row)), ' ', ruleButton(context, row));
  if (row.relatedInformation?.length) {
    node.append(related(context, row.relatedInformation));
  }
  const fixes = document.createElement('div');
  fixes.className = 'tw-Explanation-fixes';
  node.append(fixes);
  void offer(context, text, row, fixes);
  return node;
}

function ruleButton(context: IExplaining, row: lsp.Diagnostic): HTMLElement {
  const rule = document.createElement('button');
  rule.className = 'tw-Link tw-Explanation-rule';
  rule.textContent = `${row.code} ${nameOf(row)}`;
  rule.title = context.trans.__('Open the page of this rule');
  rule.onclick = () => context.openRule(nameOf(row));
  return rule;
}

function related(context: IExplaining, places: lsp.DiagnosticRelatedInformation[]): HTMLElement {
  const list = document.createElement('ul');
  list.className = 'tw-Explanation-related';
  for (const place of places) {
    const item = document.createElement('li');
    const link = document.createElement('button');
    link.className = 'tw-Link';
    link.textContent = context.placeName(place.location);
    link.onclick = () => context.openPlace(place.location);
    item.append(link, ' ', ...withCode(place.message));
    list.append(item);
  }
  return list;
}

/** Asked for when the tooltip is shown, so that typing asks for nothing. */
async function offer(
  context: IExplaining,
  text: OpenText,
  row: lsp.Diagnostic,
  into: HTMLElement
): Promise<void> {
  const actions = await context.fixes(text, row).catch(() => []);
  into.append(
    ...actions.map(action => {
      const button = document.createElement('button');
      button.className = 'tw-Fix jp-mod-styled';
      button.classList.toggle('jp-mod-accept', !!action.isPreferred);
      button.append(...withCode(action.title));
      button.onclick = () => context.apply(text, action);
      return button;
    })
  );
}

/** Text with `code` between backticks. */
export function withCode(text: string): Node[] {
  return text.split('`').map((part, index) => {
    if (index % 2 === 0) {
      return document.createTextNode(part);
    }
    const code = document.createElement('code');
    code.textContent = part;
    return code;
  });
}
