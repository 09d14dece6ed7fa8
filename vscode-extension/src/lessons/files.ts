/** The file system of `torchwise:`: lessons from the server, and what the reader has changed in them.
 *
 * A changed lesson is kept as it is until its text in Torchwise is another; then it is put aside, not lost.
 */
import * as vscode from "vscode";
import type { Server } from "../client/server";
import { pageOf, SCHEME } from "../pages/address";
import { type Kept, keptOf } from "./edition";

export class LessonFiles implements vscode.FileSystemProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly times = new Map<string, number>();

  constructor(
    private readonly server: Server,
    private readonly storage: vscode.Uri,
  ) {}

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const page = pageOf(uri);
    if (!page) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const permissions = page.kind === "lesson" ? undefined : vscode.FilePermission.Readonly;
    const mtime = this.times.get(uri.path) ?? 1;
    return { type: vscode.FileType.File, ctime: 1, mtime, size: 1, permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const page = pageOf(uri);
    if (page?.kind !== "lesson") return new Uint8Array();
    const original = await this.original(page.name);
    const own = await this.own(page.name);
    if (own && own.edition !== original.edition) await this.putAside(page.name, own);
    const kept = own?.edition === original.edition ? own : original;
    return new TextEncoder().encode(JSON.stringify(kept));
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const page = pageOf(uri);
    if (page?.kind !== "lesson") throw vscode.FileSystemError.NoPermissions(uri);
    await vscode.workspace.fs.writeFile(this.place(page.name), content);
    this.touch(uri);
  }

  /** As Torchwise has it. */
  async reset(uri: vscode.Uri): Promise<void> {
    const page = pageOf(uri);
    const own = page && (await this.own(page.name));
    if (page && own) await this.putAside(page.name, own);
    this.touch(uri);
  }

  private touch(uri: vscode.Uri): void {
    this.times.set(uri.path, Date.now());
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  private async original(id: string): Promise<Kept> {
    try {
      const shown = await this.server.ask("torchwise.lessons.show", { id });
      const lessons = (await this.server.ask("torchwise.lessons.list", null)).modules.flatMap((row) => row.lessons);
      return keptOf(shown, new Map(lessons.map((lesson) => [lesson.id, lesson.title])));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw vscode.FileSystemError.Unavailable(vscode.l10n.t("The lesson {0} cannot be shown: {1}", id, why));
    }
  }

  private async own(id: string): Promise<Kept | undefined> {
    try {
      return JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(this.place(id))));
    } catch {
      return undefined;
    }
  }

  private async putAside(id: string, own: Kept): Promise<void> {
    const aside = this.place(`${id}.${own.edition}.${Date.now()}`);
    await vscode.workspace.fs.rename(this.place(id), aside, { overwrite: true });
    this.server.log.info(`your earlier copy of the lesson ${id} is kept in ${aside.fsPath}`);
  }

  private place(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.storage, "lessons", `${id}.json`);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

export function registerFiles(files: LessonFiles): vscode.Disposable {
  return vscode.workspace.registerFileSystemProvider(SCHEME, files, { isCaseSensitive: true });
}
