/** What Dynamo said, as text. */
import type { CompileReport } from "../../../docs/protocol";

export function told(report: CompileReport): string {
  if (report.problem) return [report.problem.what, report.problem.remedy ?? ""].filter(Boolean).join("\n");
  const lines = [`${count(report.graphs, "graph")}, ${count(report.operations, "operation")}`];
  if (report.inputs.length > 0) lines.push(`called with ${report.inputs.join(", ")}`);
  for (const found of report.breaks) {
    lines.push("", `break${place(found.path, found.row)}: ${found.reason}`);
    if (found.explanation) lines.push(`  ${found.explanation}`);
    lines.push(...found.hints.map((hint) => `  - ${hint}`));
  }
  if (report.breaks.length === 0 && !report.error) lines.push("no graph breaks");
  for (const again of report.recompiles) {
    lines.push("", `compiled again${place(null, again.row)}: ${again.function}`);
    lines.push(...again.reasons.map((reason) => `  ${reason}`));
  }
  if (report.error) lines.push("", report.error);
  return lines.join("\n");
}

function place(path: string | null, row: number | null): string {
  return `${path ? ` in ${path}` : ""}${row ? `, row ${row}` : ""}`;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
