/** Between positions of LSP (lines and columns from 0, in UTF-16 units) and offsets. */

import type { Text } from '@codemirror/state';
import type { Position, Range } from 'vscode-languageserver-types';

export function offsetAt(text: string, position: Position): number {
  let from = 0;
  for (let line = 0; line < position.line; line++) {
    const next = text.indexOf('\n', from);
    if (next < 0) {
      return text.length;
    }
    from = next + 1;
  }
  const end = text.indexOf('\n', from);
  return Math.min(from + position.character, end < 0 ? text.length : end);
}

export function offsetIn(text: Text, position: Position): number {
  if (position.line >= text.lines) {
    return text.length;
  }
  const line = text.line(position.line + 1);
  return Math.min(line.from + position.character, line.to);
}

export function positionIn(text: Text, offset: number): Position {
  const line = text.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

/** All of a text. */
export function whole(text: string): Range {
  const lines = text.split('\n');
  const end = {
    line: lines.length - 1,
    character: lines[lines.length - 1].length
  };
  return { start: { line: 0, character: 0 }, end };
}

export function compare(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

/** Is the position within the range, or at one of its edges? */
export function touches(range: Range, position: Position): boolean {
  return compare(range.start, position) <= 0 && compare(position, range.end) <= 0;
}

export function sameRange(a: Range, b: Range): boolean {
  return compare(a.start, b.start) === 0 && compare(a.end, b.end) === 0;
}
