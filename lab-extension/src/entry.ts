/** What a line of a file belongs to: the function, class or object at the top of the file. */

const TOP = /^(?:(?:async\s+)?def\s+(\w+)|class\s+(\w+)|(\w+)\s*(?::[^=]+)?=(?!=))/;

export function entryAt(source: string, line: number): string | null {
  const lines = source.split('\n');
  let row = Math.min(line, lines.length - 1);
  while (row < lines.length - 1 && lines[row].startsWith('@')) {
    row++; // a decorator belongs to what is below it
  }
  for (; row >= 0; row--) {
    const found = TOP.exec(lines[row]);
    if (found) {
      return found[1] ?? found[2] ?? found[3];
    }
    if (/^[^\s#)\]}]/.test(lines[row])) {
      return null; // another statement at the top
    }
  }
  return null;
}
