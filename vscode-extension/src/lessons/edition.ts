/** A lesson as a document: what the server shows, what the reader has made of it, and the text that is kept. */
import { createHash } from "node:crypto";
import type { CellShown, LessonShown } from "../../../docs/protocol";
import { linked } from "./links";

/** Of a cell; `program` tells the server that an exercise stands beside the lesson's own program. */
export interface CellNote {
  role: CellShown["role"];
  anchor: string;
  name?: string;
  program?: string;
  raises?: string;
  /** as it was */
  start?: string;
  check?: string;
  solution?: string;
}

export interface KeptCell {
  code: boolean;
  source: string;
  note: CellNote;
}

export interface Kept {
  lesson: string;
  title: string;
  /** of the text that it was made from */
  edition: string;
  cells: KeptCell[];
}

/** `titles` of other lessons, by id. */
export function keptOf(shown: LessonShown, titles: ReadonlyMap<string, string> = new Map()): Kept {
  const edition = createHash("sha256").update(JSON.stringify(shown.cells)).digest("hex").slice(0, 16);
  const { id, title } = shown.lesson;
  return { lesson: id, title, edition, cells: cells(shown, titles) };
}

function cells(shown: LessonShown, titles: ReadonlyMap<string, string>): KeptCell[] {
  const hidden = (role: CellShown["role"]) =>
    new Map(shown.cells.filter((cell) => cell.role === role).map((cell) => [cell.exercise, cell.source]));
  const [checks, solutions] = [hidden("check"), hidden("solution")];
  return shown.cells.flatMap((cell, index) => {
    if (cell.role === "check" || cell.role === "solution") return [];
    const first = index === 0 && cell.kind === "markdown" ? introduced(cell.source, shown, titles) : cell.source;
    const source = cell.kind === "markdown" ? linked(first) : first;
    return [{ code: cell.kind === "code", source, note: note(cell, checks, solutions) }];
  });
}

function note(cell: CellShown, checks: Map<string | null, string>, solutions: Map<string | null, string>): CellNote {
  const made: CellNote = { role: cell.role, anchor: cell.anchor };
  if (cell.name) made.name = cell.name;
  if (cell.raises) made.raises = cell.raises;
  if (cell.role !== "start" || !cell.exercise) return made;
  return {
    ...made,
    program: cell.exercise,
    start: cell.source,
    check: checks.get(cell.exercise) ?? "",
    solution: solutions.get(cell.exercise) ?? "",
  };
}

/** What the lesson is for, below its heading. */
function introduced(source: string, shown: LessonShown, titles: ReadonlyMap<string, string>): string {
  const { goal, minutes, needs } = shown.lesson;
  const before = needs.map((id) => `[${titles.get(id) ?? id}](lesson:${id})`).join(", ");
  const about = `*${goal} ${minutes} min.*${before ? ` *Read before:* ${before}.` : ""}`;
  const [heading = "", ...rest] = source.split("\n");
  return heading.startsWith("# ") ? [heading, "", about, ...rest].join("\n") : `${about}\n\n${source}`;
}
