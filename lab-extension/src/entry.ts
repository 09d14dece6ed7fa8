/** What a line of a file belongs to: the function, class or object at the top of the file. */

const TOP = /^(?:(?:async\s+)?def\s+(\w+)|class\s+(\w+)|(\w+)\s*(?::[^=]+)?=(?!=))/;

export function entryAt(source: string, line: number): string | null {
  const lines = source.split('\n');
  for (let row = Math.min(line, lines.length - 1); row >= 0; row--) {
    const found = TOP.exec(lines[row]);
    if (found) {
      return found[1] ?? found[2] ?? found[3];
    }
    if (/^\S/.test(lines[row]) && !/^[@#)\]}]/.test(lines[row]) && row !== line) {
      return null; // another statement at the top stands between
    }
  }
  return null;
}
