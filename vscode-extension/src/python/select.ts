/** Which Python runs the user's code, and which one the server: the same where it can. */
import * as fs from "node:fs";
import * as vscode from "vscode";
import { type Candidate, candidates } from "./candidates";
import { type Bundle, isPython, look, obstacle, type Python } from "./look";

export interface Selected {
  server: Python;
  /** the user's own; code runs in it */
  environment: Python;
}

/** There is none; `what` says why, in words for the user. */
export class NoPython extends Error {
  constructor(
    readonly what: string,
    readonly setting: boolean,
  ) {
    super(what);
  }
}

export function bundleOf(context: vscode.ExtensionContext): Bundle {
  try {
    return JSON.parse(fs.readFileSync(context.asAbsolutePath("bundled/bundle.json"), "utf8")).pythons;
  } catch {
    return [];
  }
}

export async function select(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Selected> {
  const bundle = bundleOf(context);
  const script = context.asAbsolutePath("python/look.py");
  let environment: Python | undefined;
  const obstacles: string[] = [];
  for (const candidate of await candidates(log)) {
    const found = await look(candidate.command, script, (line) => log.info(line));
    if (!isPython(found)) {
      if (candidate.origin === "setting") throw new NoPython(unusable(candidate, found.why), true);
      continue;
    }
    environment ??= found;
    const why = obstacle(found, bundle);
    if (!why) return { server: found, environment };
    log.info(`${found.executable} cannot run the server: ${why}`);
    obstacles.push(`${found.executable}: ${why}`);
  }
  const none = vscode.l10n.t("Torchwise found no Python to run in.");
  const unfit = vscode.l10n.t("Torchwise cannot run in the Pythons that it found. {0}.", obstacles.join("; "));
  throw new NoPython(obstacles.length ? unfit : none, false);
}

function unusable(candidate: Candidate, why: string): string {
  return vscode.l10n.t(
    "`{0}`, which the setting `torchwise.interpreter` names, cannot be run: {1}.",
    candidate.command.join(" "),
    why,
  );
}
