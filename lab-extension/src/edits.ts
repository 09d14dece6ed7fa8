/** Edits of the language server, made in the shared models: undo works, and all views follow. */

import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import type { OpenText } from './documents';
import { offsetAt } from './positions';

/** Why an edit was not made. */
export class NotMade extends Error {}

/** Makes all of it or nothing. `find` gives the open text at an address. */
export function applyEdit(edit: WorkspaceEdit, find: (uri: string) => OpenText | undefined): void {
  const planned = [...changesOf(edit)].map(({ uri, version, edits }) => {
    const text = find(uri);
    if (!text) {
      throw new NotMade(`${decodeURIComponent(uri)} is not open`);
    }
    if (version !== null && version !== text.version) {
      throw new NotMade('the text has changed meanwhile');
    }
    return { text, edits };
  });
  for (const { text, edits } of planned) {
    const source = text.source;
    const spans = edits
      .map(edit => ({
        from: offsetAt(source, edit.range.start),
        to: offsetAt(source, edit.range.end),
        text: edit.newText
      }))
      .sort((a, b) => b.from - a.from || b.to - a.to);
    text.model.transact(() => {
      for (const span of spans) {
        text.model.updateSource(span.from, span.to, span.text);
      }
    });
  }
}

interface IChange {
  uri: string;
  version: number | null;
  edits: TextEdit[];
}

function* changesOf(edit: WorkspaceEdit): Iterable<IChange> {
  for (const [uri, edits] of Object.entries(edit.changes ?? {})) {
    yield { uri, version: null, edits };
  }
  for (const change of edit.documentChanges ?? []) {
    if (!('textDocument' in change)) {
      throw new NotMade('files are not made, moved or deleted by a fix');
    }
    const { uri, version } = change.textDocument;
    yield { uri, version: version ?? null, edits: change.edits as TextEdit[] };
  }
}
