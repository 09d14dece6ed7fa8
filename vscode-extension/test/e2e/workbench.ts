/** A private code-server with the extension in it, and what a person does in its window. */
import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { type Browser, chromium, type FrameLocator, type Locator, type Page } from "playwright-core";

export const ROOT = path.resolve(__dirname, "..", "..", "..");
const EXTENSION = path.join(ROOT, "vscode-extension");
const VERSION = process.env.CODE_SERVER ?? "new";
const HOME = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"),
  "torchwise",
  "code-server",
  VERSION,
);
export const STEP_MS = Number(process.env.STEP_MS ?? 60_000);
export const IS_OLD = VERSION === "old";
const SHOTS = process.env.SHOTS;
export const PYTHON = process.env.TORCHWISE_PYTHON ?? path.join(ROOT, ".venv", "bin", "python");

const SETTINGS = {
  "window.autoDetectColorScheme": true,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.quickOpen.closeOnFocusLost": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  "editor.inlayHints.enabled": "on",
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "editor.accessibilitySupport": "off",
  "files.hotExit": "off",
  "remote.autoForwardPorts": false,
  "notebook.outline.showCodeCells": true,
};

export interface Options {
  folder?: string;
  trust?: boolean;
  settings?: Record<string, unknown>;
  machine?: Record<string, unknown>;
  env?: Record<string, string>;
  extensions?: string[];
  arguments?: string[];
  own?: boolean;
  /** more files of the workspace, by name */
  files?: Record<string, string>;
}

export class Host {
  constructor(
    readonly base: string,
    readonly workspace: string,
    readonly home: string,
    private readonly pid: number,
  ) {}

  get url(): string {
    return `${this.base}/?folder=${encodeURIComponent(this.workspace)}`;
  }

  read(name: string): string {
    return fs.readFileSync(path.join(this.workspace, name), "utf8");
  }

  /** What the output channel holds: VS Code also writes it to a file. */
  log(): string {
    const logs = path.join(this.home, "data", "logs");
    return (fs.readdirSync(logs, { recursive: true }) as string[])
      .filter((name) => name.endsWith("Torchwise.log"))
      .map((name) => fs.readFileSync(path.join(logs, name), "utf8"))
      .join("");
  }

  /** The processes of the language server that VS Code has started here. */
  servers(): number[] {
    const started = (pid: string) => fs.readFileSync(path.join("/proc", pid, "cmdline"), "utf8").split("\0");
    return fs.readdirSync("/proc").flatMap((pid) => {
      try {
        const words = /^\d+$/.test(pid) ? started(pid) : [];
        const launcher = words.findIndex((word) => word.startsWith(this.home) && word.endsWith("launch.py"));
        return launcher >= 0 && words[launcher + 2] === "server" ? [Number(pid)] : [];
      } catch {
        return []; // it has ended meanwhile
      }
    });
  }

  stop(): void {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {}
    if (!process.env.KEEP) fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 9, retryDelay: 200 });
  }
}

export async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export async function start(options: Options = {}): Promise<Host> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "torchwise-e2e-"));
  const workspace = path.join(home, "orchard");
  fs.cpSync(options.folder ?? path.join(ROOT, "demo", "faulty"), workspace, { recursive: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    fs.writeFileSync(path.join(workspace, name), text);
  }
  const user = path.join(home, "data", "User");
  fs.mkdirSync(user, { recursive: true });
  fs.writeFileSync(path.join(user, "settings.json"), JSON.stringify({ ...SETTINGS, ...options.settings }));
  // Paths are settings of the machine that the extension runs on; the user's own are another machine's.
  const machine = path.join(home, "data", "Machine");
  fs.mkdirSync(machine, { recursive: true });
  const paths = { "torchwise.interpreter": [PYTHON], ...options.machine };
  fs.writeFileSync(path.join(machine, "settings.json"), JSON.stringify(paths));
  fs.writeFileSync(path.join(home, "config.yaml"), "auth: none\ncert: false\n");
  const entry = path.join(HOME, "node_modules", "code-server", "out", "node", "entry.js");
  const places = [
    "--config",
    `${home}/config.yaml`,
    "--user-data-dir",
    `${home}/data`,
    "--extensions-dir",
    `${home}/extensions`,
  ];
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    EXTENSIONS_GALLERY: "{}",
    XDG_DATA_HOME: `${home}/share`,
    ...options.env,
  };
  for (const name of Object.keys(env)) if (/^NODE_TEST|^PYTHONPATH$/.test(name)) delete env[name];
  const own = options.own === false ? [] : [vsix()];
  const node = path.join(HOME, "node");
  for (const file of [...own, ...(options.extensions ?? [])]) {
    execFileSync(node, [entry, ...places, "--install-extension", file], { env, stdio: "pipe" });
  }
  const port = await freePort();
  const quiet = [
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
    "--disable-proxy",
  ];
  const given = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--ignore-last-opened", ...quiet];
  if (options.trust !== false) given.push("--disable-workspace-trust");
  const output = fs.openSync(path.join(home, "server.log"), "w");
  const all = [entry, ...places, ...given, ...(options.arguments ?? [])];
  const child = spawn(node, all, { env, stdio: ["ignore", output, output], detached: true });
  const host = new Host(`http://127.0.0.1:${port}`, workspace, home, child.pid as number);
  process.on("exit", () => host.stop());
  await eventually(async () => (await fetch(`${host.base}/healthz`).catch(() => undefined))?.ok);
  return host;
}

export function vsix(): string {
  const made = process.env.VSIX ?? fs.readdirSync(EXTENSION).find((name) => name.endsWith(".vsix"));
  if (!made) throw new Error("make a .vsix first: npm run package");
  return path.resolve(EXTENSION, made);
}

let browser: Promise<Browser> | undefined;

export function launch(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
  });
  return browser;
}

export async function quit(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** Polls what the window does not show. */
export async function eventually<T>(found: () => T | Promise<T>, patience = STEP_MS): Promise<NonNullable<T>> {
  for (const end = Date.now() + patience; ; ) {
    const value = await found();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${patience} ms: ${found}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export class Workbench {
  constructor(readonly page: Page) {}

  static async open(url: string, dark = !process.env.LIGHT): Promise<Workbench> {
    const context = await (await launch()).newContext({
      viewport: { width: 1400, height: 900 },
      reducedMotion: "reduce",
      colorScheme: dark ? "dark" : "light",
    });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_MS);
    await page.goto(url);
    await page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 120_000 });
    return new Workbench(page);
  }

  async shot(name: string): Promise<void> {
    if (SHOTS) await this.page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }

  get editor(): Locator {
    return this.page.locator(".editor-instance .monaco-editor").first();
  }

  status(name: string): Locator {
    return this.page.locator(`[id="torchwise.torchwise.${name}"]`);
  }

  row(text: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  chosen(text: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text });
  }

  get box(): Locator {
    return this.page.locator(".quick-input-widget:visible input.input");
  }

  /**
   * Opens a quick input with a key, and accepts a row of it. A focus that moves late can close it: then again. The row
   * is accepted with Enter once it is the chosen one: a click can hit another that has just taken its place.
   */
  async quick(key: string, text: string, row?: string | RegExp): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.page.keyboard.press(key);
        await this.box.fill(text, { timeout: 5000 });
        if (row) await this.chosen(row).waitFor({ timeout: 15_000 });
        await this.page.keyboard.press("Enter");
        return;
      } catch (error) {
        if (tries === 5) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async command(title: string): Promise<void> {
    await this.quick("F1", `>${title}`, title);
  }

  /** Once more where that did not come through: an Enter is lost while the list is still filling, or meets another row. */
  async open(name: string): Promise<void> {
    const tab = this.page.locator(`.tab.active[data-resource-name="${path.basename(name)}"]`);
    for (let tries = 1; ; tries++) {
      await this.quick("Control+P", name, new RegExp(`^${path.basename(name).replace(".", "\\.")}`));
      try {
        await tab.waitFor({ timeout: STEP_MS / 5 });
        return;
      } catch (error) {
        if (tries === 5) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async goto(line: number, column = 1): Promise<void> {
    const place = new RegExp(`Ln ${line}, Col ${column}`);
    const told = this.page.locator('[id="status.editor.selection"]', { hasText: place });
    for (let tries = 1; ; tries++) {
      await this.quick("Control+G", `:${line}:${column}`);
      try {
        await told.waitFor({ timeout: STEP_MS / 5 });
        return;
      } catch (error) {
        if (tries === 5) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** Presses keys until something shows: keys are dropped while the focus moves. */
  async press(keys: string[], shows: Locator): Promise<void> {
    for (let tries = 1; ; tries++) {
      for (const key of keys) await this.page.keyboard.press(key);
      try {
        await shows.first().waitFor({ timeout: 5000 });
        return;
      } catch (error) {
        if (tries === 6) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** Of the notebook in front, if it is the one that is said. */
  kernel(name: string): Locator {
    return this.page.locator(".kernel-label", { hasText: new RegExp(`^${name}$`) }).first();
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast", { hasText: text }).first();
  }

  /** Of the panel that is open, the rows that hold a text. */
  async filterProblems(text: string): Promise<void> {
    await this.page.locator(".part.panel .viewpane-filter input").fill(text);
  }

  problem(text: string | RegExp): Locator {
    return this.page.locator(".markers-panel .monaco-list-row", { hasText: text });
  }

  /** Inside the webview that holds something: each is a frame within a frame. */
  async webview(holding: string): Promise<FrameLocator> {
    return eventually(async () => {
      const frames = this.page.locator("iframe.webview.ready");
      for (let index = 0; index < (await frames.count()); index++) {
        const inner = frames.nth(index).contentFrame().frameLocator("#active-frame");
        if (
          (await inner
            .locator(holding)
            .count()
            .catch(() => 0)) > 0
        )
          return inner;
      }
      return undefined;
    });
  }

  async save(): Promise<void> {
    await this.page.keyboard.press("Control+S");
    await this.page.locator(".tab.active:not(.dirty)").first().waitFor();
  }
}

/** A test body that leaves a picture where it fails. */
export function guarded(workbench: () => Workbench, name: string, body: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await body();
    } catch (error) {
      await workbench()
        .shot(`FAILED-${name}`)
        .catch(() => undefined);
      throw error;
    }
  };
}
