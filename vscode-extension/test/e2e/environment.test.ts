/** Which Python the server runs in, what is said where there is none, trust, and several roots. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { createVSIX } from "@vscode/vsce";
import { eventually, guarded, type Host, type Options, PYTHON, quit, ROOT, start, Workbench } from "./workbench";

after(quit);

function step(name: string, options: Options, body: (code: Workbench, host: Host) => Promise<void>): void {
  test(name, { timeout: 300_000 }, async () => {
    const host = await start(options);
    const code = await Workbench.open(host.url);
    try {
      await guarded(
        () => code,
        name.replace(/\W+/g, "-"),
        () => body(code, host),
      )();
    } finally {
      await code.page.context().close();
      host.stop();
    }
  });
}

const NOWHERE = { machine: { "torchwise.interpreter": ["/nowhere/python"] } };

step("an interpreter that is missing gets one message, and its button mends it", NOWHERE, async (code, host) => {
  await code.open("serve.py");
  await code.toast("/nowhere/python").waitFor();
  assert.equal(await code.page.locator(".notification-toast").count(), 1);
  await code.shot("missing-interpreter");
  await code.toast("/nowhere/python").locator("a.monaco-button", { hasText: "Use the Default" }).click();
  await code.editor.locator(".squiggly-warning").nth(2).waitFor();
  assert.doesNotMatch(fs.readFileSync(path.join(host.home, "data", "Machine", "settings.json"), "utf8"), /nowhere/);
});

const OWN = { ".vscode/settings.json": JSON.stringify({ "torchwise.interpreter": ["/nowhere/of-the-workspace"] }) };
const ASKING = { "security.workspace.trust.startupPrompt": "never" };

step(
  "an untrusted workspace is analysed, names no program, and runs nothing",
  { trust: false, settings: ASKING, files: OWN },
  async (code, host) => {
    await code.page.locator('[id="status.workspaceTrust"]', { hasText: "Restricted Mode" }).waitFor();
    await code.open("serve.py");
    await code.editor.locator(".squiggly-warning").nth(2).waitFor();
    assert.doesNotMatch(host.log(), /of-the-workspace/);
    await code.command("Torchwise: Run Selection or File");
    await code.toast("Code runs in trusted workspaces only").waitFor();
    await code.shot("restricted");
    await code.page.locator('[id="status.workspaceTrust"]').click();
    await code.page
      .locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ })
      .first()
      .click();
    await eventually(() => host.log().includes("/nowhere/of-the-workspace"));
  },
);

test("the environment that the Python extension has selected is taken", { timeout: 300_000 }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "torchwise-venv-"));
  execFileSync(PYTHON, ["-m", "venv", "--without-pip", folder]);
  const python = path.join(folder, "bin", "python");
  const cwd = path.join(ROOT, "vscode-extension", "test", "stub-python");
  const stub = path.join(folder, "stub.vsix");
  await createVSIX({ cwd, packagePath: stub, dependencies: false, skipLicense: true });
  const machine = { "torchwise.interpreter": [], "python.defaultInterpreterPath": python };
  const host = await start({ machine, extensions: [stub] });
  const code = await Workbench.open(host.url);
  try {
    await code.open("serve.py");
    await code.editor.locator(".squiggly-warning").nth(2).waitFor();
    await eventually(() => host.log().includes(`code runs in ${python}`));
  } finally {
    await code.page.context().close();
    host.stop();
    fs.rmSync(folder, { recursive: true });
  }
});

const ROOTS = JSON.stringify({ folders: [{ path: "orchard" }, { path: "second" }] });
const SECOND = "import torch\n\nx = torch.zeros(2, 3)\ny = x.T.view(6)\n";
const FILES = {
  "both.code-workspace": ROOTS,
  "second/other.py": SECOND,
  "second/torchwise.toml": 'ignore = ["TW301"]\n',
};

test("several roots have one server, and settings of their own", { timeout: 300_000 }, async () => {
  const host = await start({ files: FILES });
  const workspace = encodeURIComponent(path.join(host.workspace, "both.code-workspace"));
  const code = await Workbench.open(`${host.base}/?workspace=${workspace}`);
  try {
    await code.open("layers.py");
    await code.editor.locator(".squiggly-error").first().waitFor();
    await code.open("other.py");
    await code.editor.locator(".view-line span[class*=dyn-rule]", { hasText: /f32/ }).first().waitFor();
    assert.equal(await code.editor.locator(".squiggly-error").count(), 0);
    assert.equal(host.log().split("server: ").length, 2);
  } finally {
    await code.page.context().close();
    host.stop();
  }
});
