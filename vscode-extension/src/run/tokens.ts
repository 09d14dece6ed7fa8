/** Jupyter servers that the user has added, and their tokens, which only the secret storage holds. */
import * as vscode from "vscode";

const SERVERS = "torchwise.servers";

export class Tokens {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly context: vscode.ExtensionContext) {}

  /** Addresses, without tokens. */
  get servers(): string[] {
    return this.context.globalState.get<string[]>(SERVERS, []);
  }

  /** Of the server of a device like `https://host:8888#cuda:0`. */
  async of(device = ""): Promise<string | null> {
    const url = serverOf(device);
    return url ? ((await this.context.secrets.get(key(url))) ?? null) : null;
  }

  async add(): Promise<string | undefined> {
    const given = await vscode.window.showInputBox({
      title: vscode.l10n.t("Add Jupyter Server"),
      prompt: vscode.l10n.t("Its address, as in https://host:8888"),
      ignoreFocusOut: true,
      validateInput: (text) => (address(text) ? undefined : vscode.l10n.t("Write an address with http:// or https://")),
    });
    const found = given === undefined ? undefined : address(given);
    if (!found) return undefined;
    const token = found.token ?? (await this.askToken(found.url));
    if (token === undefined) return undefined;
    await this.context.globalState.update(SERVERS, [...new Set([...this.servers, found.url])]);
    if (token) await this.context.secrets.store(key(found.url), token);
    this.changed.fire();
    return found.url;
  }

  async forget(): Promise<void> {
    const url = await vscode.window.showQuickPick(this.servers, { title: vscode.l10n.t("Forget Jupyter Server") });
    if (!url) return;
    await this.context.globalState.update(
      SERVERS,
      this.servers.filter((known) => known !== url),
    );
    await this.context.secrets.delete(key(url));
    this.changed.fire();
  }

  private askToken(url: string): Thenable<string | undefined> {
    return vscode.window.showInputBox({
      title: vscode.l10n.t("Token of {0}", url),
      prompt: vscode.l10n.t("It is kept in the secret storage. Leave it empty if the server asks for none."),
      password: true,
      ignoreFocusOut: true,
    });
  }
}

export function serverOf(device: string): string | undefined {
  return device.includes("://") ? device.split("#")[0] : undefined;
}

function key(url: string): string {
  return `torchwise.token:${url}`;
}

/** A token that was pasted with the address is taken out of it. */
export function address(text: string): { url: string; token?: string } | undefined {
  let parsed: URL;
  try {
    parsed = new URL(text.trim());
  } catch {
    return undefined;
  }
  if (!/^https?:$/.test(parsed.protocol)) return undefined;
  const token = parsed.searchParams.get("token") ?? undefined;
  const folder = parsed.pathname.split(/\/(?:lab|tree|notebooks|api)(?:\/|$)/)[0]?.replace(/(?<!\/)\/+$/, "") ?? "";
  return { url: `${parsed.protocol}//${parsed.host}${folder}`, token };
}
