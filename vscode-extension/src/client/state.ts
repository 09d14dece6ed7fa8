/** What the server is doing, for all who show it. */
import type { Selected } from "../python/select";

export type State =
  | { kind: "starting" }
  | { kind: "running"; version: string; selected: Selected }
  | { kind: "failed"; what: string }
  | { kind: "stopped" };
