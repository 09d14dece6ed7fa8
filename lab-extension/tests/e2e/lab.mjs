// JupyterLab on loopback with a token, Debian's Chromium, and what a person does in them.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const HERE = dirname(fileURLToPath(import.meta.url));
const REPO = resolve(HERE, '../../..');
export const TOKEN = 'a-secret-of-the-test';
const PATIENCE_MS = 60000;

export const SHOTS = process.env.SHOTS ?? join(REPO, 'lab-extension', 'test-results');
mkdirSync(SHOTS, { recursive: true });

function freePort() {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

export function notebook(sources, kernel = 'python3') {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: { name: kernel, display_name: kernel, language: 'python' },
      language_info: { name: 'python', mimetype: 'text/x-python', file_extension: '.py' }
    },
    cells: sources.map((source, index) =>
      typeof source === 'string'
        ? {
            id: `cell-${index}`,
            cell_type: 'code',
            execution_count: null,
            metadata: {},
            outputs: [],
            source
          }
        : { id: `cell-${index}`, cell_type: 'markdown', metadata: {}, source: source.markdown }
    )
  });
}

/** As the package would be installed, in folders of this run. */
function install(home) {
  const data = join(home, 'data');
  mkdirSync(join(data, 'labextensions', '@torchwise'), { recursive: true });
  symlinkSync(
    join(REPO, 'server', 'torchwise', 'labextension'),
    join(data, 'labextensions', '@torchwise', 'lab')
  );
  cpSync(join(REPO, 'lab-extension', 'jupyter', 'kernels'), join(data, 'kernels'), {
    recursive: true
  });
  const config = join(home, 'config', 'jupyter_server_config.d');
  mkdirSync(config, { recursive: true });
  cpSync(join(REPO, 'lab-extension', 'jupyter', 'server-config'), config, { recursive: true });
}

function settings(home, theme) {
  const write = (plugin, name, value) => {
    const folder = join(home, 'settings', '@jupyterlab', plugin);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.jupyterlab-settings`), JSON.stringify(value));
  };
  write('apputils-extension', 'notification', { fetchNews: 'false', checkForUpdates: false });
  write('apputils-extension', 'themes', { theme });
}

function environment(home) {
  const own = {
    PYTHONPATH: [join(REPO, 'server'), process.env.PYTHONPATH ?? ''].filter(Boolean).join(':'),
    IPYTHONDIR: join(home, 'ipython'),
    JUPYTERLAB_SETTINGS_DIR: join(home, 'settings'),
    JUPYTERLAB_WORKSPACES_DIR: join(home, 'workspaces'),
    XDG_DATA_HOME: join(home, 'share'),
    MPLCONFIGDIR: join(home, 'matplotlib')
  };
  for (const kind of ['config', 'data', 'runtime']) {
    own[`JUPYTER_${kind.toUpperCase()}_DIR`] = join(home, kind);
  }
  return { ...process.env, ...own };
}

/** `files`: texts by path. `application`: `lab`, `notebook` or `jupyter_server`. */
export async function startLab(
  files,
  { theme = 'JupyterLab Light', args = [], application = 'lab', env = {} } = {}
) {
  const home = mkdtempSync(join(tmpdir(), 'torchwise-lab-'));
  const root = join(home, 'root');
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  install(home);
  settings(home, theme);
  const port = await freePort();
  const log = [];
  const python = process.env.PYTHON ?? join(REPO, '.venv', 'bin', 'python');
  const child = spawn(
    python,
    [
      '-P',
      '-m',
      application === 'lab' ? 'jupyterlab' : application,
      '--no-browser',
      '--allow-root',
      '--ip=127.0.0.1',
      `--ServerApp.port=${port}`,
      '--ServerApp.port_retries=0',
      `--IdentityProvider.token=${TOKEN}`,
      `--ServerApp.root_dir=${root}`,
      '--LabApp.expose_app_in_browser=True',
      '--JupyterNotebookApp.expose_app_in_browser=True',
      '--LabApp.extension_manager=readonly',
      ...args
    ],
    { env: { ...environment(home), ...env }, stdio: ['ignore', 'pipe', 'pipe'], cwd: home }
  );
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', text => log.push(String(text)));
  const base = `http://127.0.0.1:${port}`;
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    if (child.exitCode !== null || Date.now() > until) {
      throw new Error(`Jupyter did not start:\n${log.join('')}`);
    }
    if (
      await fetch(`${base}/api/status?token=${TOKEN}`).then(
        answer => answer.ok,
        () => false
      )
    )
      break;
    await new Promise(go => setTimeout(go, 150));
  }
  const ask = path => fetch(`${base}/${path}?token=${TOKEN}`).then(answer => answer.json());
  return {
    base,
    root,
    home,
    log,
    ask,
    url: (path = '', workspace = '') =>
      `${base}/lab${workspace && `/workspaces/${workspace}`}/tree/${path}?token=${TOKEN}&reset`,
    notebookUrl: path => `${base}/notebooks/${path}?token=${TOKEN}`,
    has: path => existsSync(join(root, path)),
    async stop() {
      const gone = new Promise(end => child.once('exit', end));
      child.kill('SIGTERM'); // once: kernels and language server go with it
      const timer = setTimeout(() => child.kill('SIGKILL'), 10000);
      await gone;
      clearTimeout(timer);
      rmSync(home, { recursive: true, force: true });
    }
  };
}

export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync'
    ]
  });
}

/** A page that goes with its test. */
export async function visit(t, browser, url) {
  const page = await openLab(browser, url);
  t.after(async () => {
    if (process.env.SHOTS_AFTER)
      await shot(page, `after ${t.name}`.replace(/\W+/g, '-').slice(0, 60));
    await page.close();
  });
  return page;
}

/** Cells that are run before there is a kernel are not run. */
export const idle = page =>
  page.waitForFunction(
    () => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'
  );

/** Points at something until the tooltip says what is wanted: what is drawn anew takes a tooltip away. */
export async function point(page, at, wanted) {
  for (let attempt = 0; ; attempt++) {
    await page.mouse.move(5, 5);
    await page.hover(at);
    try {
      return await page.waitForSelector(wanted, { timeout: 4000 });
    } catch (error) {
      if (attempt === 4) throw error;
    }
  }
}

/** A page of JupyterLab that is up. What goes wrong in it is kept in `page.errors`. */
export async function openLab(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 850 } });
  page.errors = [];
  page.on('pageerror', error => page.errors.push(String(error.stack ?? error)));
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  await page.waitForSelector('#jupyterlab-splash', { state: 'detached' });
  await page.waitForFunction(() => window.jupyterapp);
  await page.evaluate(() => window.jupyterapp.restored.then(() => undefined));
  return page;
}

export const run = (page, command, args = {}) =>
  page.evaluate(
    ([id, given]) => window.jupyterapp.commands.execute(id, given).then(() => undefined),
    [command, args]
  );

export const status = page =>
  page.evaluate(() => window.jupyterapp.commands.execute('torchwise:status'));

/** Until so many elements are there. */
export const until = (page, selector, count) =>
  page.waitForFunction(
    ([css, wanted]) => document.querySelectorAll(css).length === wanted,
    [selector, count]
  );

export const shot = (page, name) => page.screenshot({ path: join(SHOTS, `${name}.png`) });

/** The editor of a cell, counted from 0 among code cells. */
export const cell = (page, index) =>
  page.locator('.jp-Notebook .jp-CodeCell').nth(index).locator('.cm-content');

export async function type(page, editor, text) {
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}
