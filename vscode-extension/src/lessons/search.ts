/** Searches the lessons while the reader types. */
import * as vscode from "vscode";
import type { Server } from "../client/server";
import type { Course } from "./course";
import { openLesson } from "./open";

const PAUSE_MS = 120;

interface Row extends vscode.QuickPickItem {
  lesson: string;
  anchor: string;
}

export function searchLessons(server: Server, course: Course): void {
  const pick = vscode.window.createQuickPick<Row>();
  pick.title = vscode.l10n.t("Search Lessons");
  pick.placeholder = vscode.l10n.t("Words of a lesson: view, detach, gradient checkpointing …");
  let waiting: NodeJS.Timeout | undefined;
  pick.onDidChangeValue((text) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void find(server, pick, text), PAUSE_MS);
  });
  pick.onDidAccept(() => {
    const [row] = pick.selectedItems;
    pick.hide();
    if (row) void openLesson(course, row.lesson, row.anchor);
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

async function find(server: Server, pick: vscode.QuickPick<Row>, text: string): Promise<void> {
  if (!text.trim()) {
    pick.items = [];
    return;
  }
  pick.busy = true;
  try {
    const { hits } = await server.ask("torchwise.lessons.search", { text });
    if (pick.value !== text) return;
    pick.items = hits.map((hit) => ({
      label: `$(book) ${hit.title}`,
      description: hit.lesson,
      detail: hit.excerpt,
      alwaysShow: true,
      lesson: hit.lesson,
      anchor: hit.anchor,
    }));
  } catch (error) {
    server.log.warn(`lessons cannot be searched: ${error}`);
  } finally {
    pick.busy = false;
  }
}
