/** The course as the server tells it, and how far this reader is. */
import * as vscode from "vscode";
import type { LessonRow, ModuleRow } from "../../../docs/protocol";
import type { Server } from "../client/server";

/** Stateful: what was told last. */
export class Course {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private modules: Promise<ModuleRow[]> | undefined;

  constructor(private readonly server: Server) {
    server.onDidChange((state) => {
      if (state.kind === "running") this.forget();
    });
  }

  forget(): void {
    this.modules = undefined;
    this.changed.fire();
  }

  async list(): Promise<ModuleRow[]> {
    if (this.server.state.kind !== "running") return [];
    this.modules ??= this.server.ask("torchwise.lessons.list", null).then((told) => told.modules);
    try {
      return await this.modules;
    } catch (error) {
      this.modules = undefined;
      this.server.log.warn(`lessons cannot be listed: ${error}`);
      throw error;
    }
  }

  async lesson(id: string): Promise<LessonRow | undefined> {
    return (await this.list()).flatMap((module) => module.lessons).find((lesson) => lesson.id === id);
  }

  async mark(lesson: string, done: boolean): Promise<void> {
    await this.server.ask("torchwise.lessons.progress", { lesson, done });
    this.forget();
  }

  async noteRead(lesson: string, anchor: string): Promise<void> {
    await this.server.ask("torchwise.lessons.progress", { lesson, read: anchor });
    this.forget();
  }
}
