/** How a run ended, in a sentence; empty where its output says it all. */
import type { RunResult } from "../../../docs/protocol";

const MOST = 8; // names that are listed

export function ending(result: RunResult): string {
  const said = result.message ? `: ${result.message}` : "";
  const remedy = result.remedy ? `\n${result.remedy}` : "";
  switch (result.ended) {
    case "done":
    case "failed":
      return "";
    case "interrupted":
      return `Interrupted after ${result.seconds.toFixed(1)} s.`;
    case "timed-out":
      return `Stopped after ${result.seconds.toFixed(1)} s: that is its time limit (torchwise.timeLimit).`;
    case "died":
      return `${sentence(result.message ?? "the kernel died")} Another one takes its place.${lost(result)}${remedy}`;
    case "disconnected":
      return `The connection to the server is lost${said}.${remedy}`;
    case "stopped":
      return "The kernel was stopped.";
    case "refused":
    case "unavailable":
      return `It was not run${said}${remedy}`;
  }
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function lost(result: RunResult): string {
  const names = result.lost?.names ?? [];
  if (names.length === 0) return "";
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
  return `\nWhat it held is lost: ${names.slice(0, MOST).join(", ")}${more}.`;
}
