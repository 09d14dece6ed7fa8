/** Without the white space that all lines begin with, so that a part of a function can be run. */
export function dedented(text: string): string {
  const lines = text.split("\n");
  const full = lines.filter((line) => line.trim());
  const common = full.map((line) => /^[ \t]*/.exec(line)?.[0] ?? "").reduce(shared, full[0] ?? "");
  return lines.map((line) => (line.startsWith(common) ? line.slice(common.length) : line.trimStart())).join("\n");
}

function shared(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}
