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

export function keptOf(shown: LessonShown): Kept {
  const edition = createHash("sha256").update(JSON.stringify(shown.cells)).digest("hex").slice(0, 16);
  const { id, title } = shown.lesson;
  return { lesson: id, title, edition, cells: cells(shown) };
}

function cells(shown: LessonShown): KeptCell[] {
  const hidden = (role: CellShown["role"]) =>
    new Map(shown.cells.filter((cell) => cell.role === role).map((cell) => [cell.exercise, cell.source]));
  const [checks, solutions] = [hidden("check"), hidden("solution")];
  return shown.cells.flatMap((cell, index) => {
    if (cell.role === "check" || cell.role === "solution") return [];
    const source = cell.kind === "markdown" ? linked(cell.source) : cell.source;
    const whole = index === 0 && cell.kind === "markdown" ? `${source.trimEnd()}\n\n${about(shown)}` : source;
    return [{ code: cell.kind === "code", source: whole, note: note(cell, checks, solutions) }];
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

function about(shown: LessonShown): string {
  const { goal, minutes, needs } = shown.lesson;
  const before = needs.map((id) => `[${id}](lesson:${id})`).join(", ");
  return linked(`*${goal} ${minutes} min.*${before ? ` *Read before:* ${before}` : ""}`);
}
