/** Where code runs: a CUDA device as torch would tell of it, and a Jupyter server whose token no log holds. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before } from "node:test";
import { code, host, share, step } from "./steps";
import { eventually, freePort, PYTHON } from "./workbench";

const TOKEN = "a-secret-of-the-test";
const FOLDER = fs.mkdtempSync(path.join(os.tmpdir(), "torchwise-devices-"));
const GONE = path.join(FOLDER, "driver-is-gone");
/** In place of torch, since no machine of the tests needs a card: what the extension knows of one is what torch says. */
const TORCH = `import os
__version__ = "2.13.0"
class version: cuda, hip = "13.0", None
class cuda:
    is_available = staticmethod(lambda: not os.path.exists(${JSON.stringify(GONE)}))
    device_count = staticmethod(lambda: 1)
    get_device_name = staticmethod(lambda index: "NVIDIA H200")
    mem_get_info = staticmethod(lambda index: (100 * 2**30, 140 * 2**30))
    @staticmethod
    def init(): raise RuntimeError("Found no NVIDIA driver on your system.")
class backends: mps = None
`;
const WHERE = "import os\n\nprint('run at', os.environ.get('ORCHARD_SERVER', 'home'))\n";

/** An environment with the packages of the tests' own, and another torch. */
function environment(): string {
  const home = path.join(FOLDER, "venv");
  execFileSync(PYTHON, ["-m", "venv", "--without-pip", home]);
  const ask = "import sysconfig; print(sysconfig.get_path('purelib'))";
  const packages = (python: string) => execFileSync(python, ["-c", ask], { encoding: "utf8" }).trim();
  const python = path.join(home, "bin", "python");
  fs.writeFileSync(path.join(packages(python), "torch.py"), TORCH);
  fs.writeFileSync(path.join(packages(python), "others.pth"), packages(PYTHON));
  return python;
}

let jupyter: ChildProcess;
let address: string;

async function startJupyter(): Promise<void> {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const own = ["config", "data", "runtime"].map((kind) => [
    `JUPYTER_${kind.toUpperCase()}_DIR`,
    path.join(FOLDER, kind),
  ]);
  const given = [
    "-m",
    "jupyter_server",
    "--allow-root",
    "--ServerApp.open_browser=False",
    "--ip=127.0.0.1",
    `--ServerApp.port=${port}`,
    `--IdentityProvider.token=${TOKEN}`,
    `--ServerApp.root_dir=${FOLDER}`,
  ];
  const env = { ...process.env, ...Object.fromEntries(own), ORCHARD_SERVER: "the server" };
  jupyter = spawn(PYTHON, given, { env, stdio: "ignore" });
  await eventually(async () => (await fetch(`${address}/api/status?token=${TOKEN}`).catch(() => undefined))?.ok);
}

share({
  files: { "where.py": WHERE },
  machine: { "torchwise.interpreter": [environment()] },
  settings: { "torchwise.trace.server": "verbose" },
});
before(startJupyter);
after(() => {
  jupyter.kill();
  fs.rmSync(FOLDER, { recursive: true, force: true, maxRetries: 9, retryDelay: 200 });
});

step("a CUDA device is offered with its name and memory", async () => {
  await code.open("where.py");
  await code.status("torchwise.device").click();
  await code.row("CUDA 0").waitFor();
  assert.match((await code.row("CUDA 0").textContent()) ?? "", /NVIDIA H200.*100\.0 of 140\.0 GiB free/s);
  await code.shot("cuda-picker");
  await code.page.keyboard.press("Escape");
});

step("a lesson has a kernel for the CUDA device", async () => {
  await code.command("Torchwise: Search Lessons");
  await code.box.fill("contiguous");
  await code.row(/02-tensors/).click();
  await code.page.locator(".notebookOverlay .code-cell-row").first().waitFor();
  await code.kernel("CPU").waitFor();
  await code.command("Notebook: Select Notebook Kernel");
  await code.row("Select Another Kernel").click();
  await code.row("Torchwise").click();
  await code.row("CUDA 0").waitFor();
  await code.shot("cuda-kernels");
  await code.row("CUDA 0").click();
  await code.kernel("CUDA 0").waitFor();
  await eventually(async () => /CUDA 0/.test((await code.status("torchwise.device").textContent()) ?? ""));
});

step("the lesson follows the device that is chosen elsewhere", async () => {
  for (const device of ["CPU", "CUDA 0"]) {
    await code.status("torchwise.device").click();
    await code.row("GiB free").waitFor(); // the list of devices, not that of kernels on its way out
    await code.row(device).click();
    await code.kernel(device).waitFor();
  }
  await code.command("View: Close All Editors");
});

step("a device that is gone is told with what torch says, and what helps", async () => {
  fs.writeFileSync(GONE, "");
  const starts = () => host.log().split("runs in").length;
  const before = starts();
  await code.command("Torchwise: Restart Server");
  await eventually(() => starts() > before);
  await code.open("where.py");
  await code.command("Torchwise: Run Selection or File");
  const view = await code.webview("#runs");
  await view.locator(".run.bad footer", { hasText: "Found no NVIDIA driver on your system." }).waitFor();
  await view.locator("footer", { hasText: "install the NVIDIA driver" }).waitFor();
  await code.shot("cuda-gone");
});

step("a Jupyter server is added, and runs code", async () => {
  await code.quick("F1", ">Developer: Set Log Level", "Developer: Set Log Level");
  await code.row("Torchwise").click();
  await code.row("Trace").click();
  await code.command("Torchwise: Add Jupyter Server");
  await code.box.fill(`${address}/lab`);
  await code.page.keyboard.press("Enter");
  await code.page.locator(".quick-input-widget:visible input[type=password]").fill(TOKEN);
  await code.shot("server-token");
  await code.page.keyboard.press("Enter");
  await code.row("CPU on 127.0.0.1").click();
  await eventually(async () => /CPU on/.test((await code.status("torchwise.device").textContent()) ?? ""));
  await code.open("where.py");
  await code.command("Torchwise: Run Selection or File");
  const view = await code.webview("#runs");
  await view.locator("pre", { hasText: "run at the server" }).waitFor();
  await code.shot("server-run");
});

step("no file of the editor holds the token, not even the trace", async () => {
  assert.match(host.log(), /torchwise\.kernel\.run[\s\S]*"token": "…"/);
  const files = (fs.readdirSync(host.home, { recursive: true, withFileTypes: true }) as fs.Dirent[]).filter((one) =>
    one.isFile(),
  );
  const holding = files.filter((one) => fs.readFileSync(path.join(one.parentPath, one.name)).includes(TOKEN));
  assert.deepEqual(
    holding.map((one) => one.name),
    [],
  );
});
