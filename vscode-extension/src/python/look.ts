/** What a Python is and has: asked in a process of its own, which imports nothing of the user's. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";

export interface Python {
  /** the program and its arguments */
  command: string[];
  executable: string;
  version: string;
  torch: string | null;
  torchwise: string | null;
}

export interface Missing {
  command: string[];
  why: string;
}

/** Which Pythons a bundle has native packages for, as `3.11`; none where the extension runs from its sources. */
export type Bundle = readonly string[];

const PATIENCE_MS = 20_000;
const MARK = "torchwise-look:";
export const OLDEST = "3.11";

export function isPython(found: Python | Missing): found is Python {
  return "version" in found;
}

export function look(command: string[], script: string, trace?: (line: string) => void): Promise<Python | Missing> {
  const [program = "", ...rest] = command;
  const where = { timeout: PATIENCE_MS, cwd: path.dirname(script), windowsHide: true };
  return new Promise((resolve) => {
    execFile(program, [...rest, script], where, (error, stdout, stderr) => {
      const found = answered(stdout);
      if (found) {
        resolve({ command, ...found });
        return;
      }
      const last = stderr.trim().split("\n").at(-1) ?? "";
      const why = reason(error, last);
      trace?.(`${command.join(" ")}: ${why}`);
      resolve({ command, why });
    });
  });
}

function answered(stdout: string): Omit<Python, "command"> | undefined {
  const line = stdout.split("\n").find((row) => row.startsWith(MARK));
  return line ? JSON.parse(line.slice(MARK.length)) : undefined;
}

function reason(error: (Error & { code?: unknown; killed?: boolean }) | null, last: string): string {
  if (error?.code === "ENOENT") return "there is no such program";
  if (error?.code === "EACCES") return "it may not be run";
  if (error?.killed) return "it did not answer";
  return last || error?.message || "it did not answer like a Python";
}

/** `3.11` of `3.11.2`. */
export function minor(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

export function isOlder(one: string, other: string): boolean {
  const numbers = (text: string) => text.split(".").map(Number);
  const [[a = 0, b = 0], [c = 0, d = 0]] = [numbers(one), numbers(other)] as [number[], number[]];
  return a !== c ? a < c : b < d;
}

/** Why the server cannot run in it, or undefined where it can. */
export function obstacle(python: Python, bundle: Bundle): string | undefined {
  if (isOlder(python.version, OLDEST)) return `it is Python ${python.version}, and ${OLDEST} is needed`;
  if (python.torchwise || bundle.includes(minor(python.version))) return undefined;
  const has = bundle.length ? `which is made for Python ${bundle.join(", ")}` : "";
  return `it has no Torchwise, and the bundled one, ${has || "of which there is none"}, does not fit Python ${minor(python.version)}`;
}

/** Environments in a folder. */
export function environmentsIn(folder: string): string[] {
  const places = [".venv", "venv"].flatMap((name) => [
    path.join(folder, name, "bin", "python"),
    path.join(folder, name, "Scripts", "python.exe"),
  ]);
  return places.filter(existsSync);
}
