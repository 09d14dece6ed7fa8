/** Findings in an editor: underlines, marks in the gutter, and what the tooltip says. */

import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, type Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type * as lsp from 'vscode-languageserver-types';
import type { OpenText } from '../documents';
import { offsetIn } from '../positions';

const SEVERITIES = ['error', 'error', 'warning', 'info', 'hint'] as const;
const UNNECESSARY = 1;
const DEPRECATED = 2;

const gutter = new Compartment();
const withGutter = new WeakSet<EditorView>();

export type Explain = (text: OpenText, diagnostic: lsp.Diagnostic, view: EditorView) => Node;

export function diagnosticsExtension(): Extension {
  return gutter.of([]);
}

/** `text` is undefined for an editor of something else, which gets no gutter either. */
export function showDiagnostics(
  view: EditorView,
  text: OpenText | undefined,
  explain: Explain
): void {
  if (!!text !== withGutter.has(view)) {
    text ? withGutter.add(view) : withGutter.delete(view);
    view.dispatch({ effects: gutter.reconfigure(text ? lintGutter() : []) });
  }
  const found = text ? text.diagnostics.map(row => converted(view, text, row, explain)) : [];
  view.dispatch(setDiagnostics(view.state, found));
}

function converted(
  view: EditorView,
  text: OpenText,
  row: lsp.Diagnostic,
  explain: Explain
): Diagnostic {
  const document = view.state.doc;
  return {
    from: offsetIn(document, row.range.start),
    to: offsetIn(document, row.range.end),
    severity: severityOf(row),
    source: row.source,
    message: messageOf(row),
    markClass: [
      row.tags?.includes(UNNECESSARY) ? 'tw-mod-unnecessary' : '',
      row.tags?.includes(DEPRECATED) ? 'tw-mod-deprecated' : ''
    ].join(' '),
    renderMessage: () => explain(text, row, view)
  };
}

export function severityOf(row: lsp.Diagnostic): 'error' | 'warning' | 'info' | 'hint' {
  return SEVERITIES[row.severity ?? 1];
}

export function messageOf(row: lsp.Diagnostic): string {
  return typeof row.message === 'string' ? row.message : (row.message as lsp.MarkupContent).value;
}

/** The rule's name, as in `torchwise: ignore[NAME]`. */
export function nameOf(row: lsp.Diagnostic): string {
  return (row.data as { name?: string } | undefined)?.name ?? String(row.code ?? '');
}
