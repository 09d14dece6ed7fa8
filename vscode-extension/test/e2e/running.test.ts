/** Code that runs on kernels: selections, pictures, interrupts, deaths, Dynamo's report, real shapes, rule pages. */
import assert from "node:assert/strict";
import { code, share, step } from "./steps";
import { eventually } from "./workbench";

const CURVE = `import torch
from matplotlib import pyplot

points = torch.linspace(0, 1, 9)
print("there are", len(points), "points")
pyplot.plot(points, points ** 2)
pyplot.show()
`;
const COMPILED = `import torch


@torch.compile(backend="eager")
def sharpen(scores):
    print("sharpening")
    return scores / scores.std()


if __name__ == "__main__":
    sharp = sharpen(torch.randn(4, 3))
`;
const FILES = {
  "curve.py": CURVE,
  "compiled.py": COMPILED,
  "endless.py": "import time\n\nprint('begun', flush=True)\ntime.sleep(600)\n",
  "dying.py": "import os\n\nheld = 3\nos.kill(os.getpid(), 9)\n",
};

share({ files: FILES });

step("the device picker shows what there is", async () => {
  await code.open("curve.py");
  await code.status("torchwise.device").waitFor();
  assert.match((await code.status("torchwise.device").textContent()) ?? "", /CPU/);
  await code.status("torchwise.device").click();
  await code.row("Add Jupyter Server").waitFor();
  await code.page
    .locator(".quick-input-progress.done, .quick-input-progress:not(.active)")
    .first()
    .waitFor({ state: "attached" });
  await code.shot("device-picker");
  await code.row("CPU").click();
});

step("a file runs, and its text and picture are shown", async () => {
  await code.command("Torchwise: Run Selection or File");
  const view = await code.webview("#runs");
  await view.locator("pre", { hasText: "there are 9 points" }).waitFor();
  await view.locator("img[src^='data:image/png']").waitFor();
  await view.locator(".run.good footer").waitFor();
  await code.shot("run");
});

step("what runs can be interrupted", async () => {
  await code.open("endless.py");
  await code.command("Torchwise: Run Selection or File");
  const view = await code.webview("#runs");
  await view.locator("pre", { hasText: "begun" }).waitFor();
  await code.command("Torchwise: Interrupt Run");
  await view.locator("footer", { hasText: "Interrupted after" }).waitFor();
});

step("a kernel that dies is told and replaced", async () => {
  await code.open("dying.py");
  await code.command("Torchwise: Run Selection or File");
  const view = await code.webview("#runs");
  await view.locator("footer", { hasText: "The kernel died" }).waitFor();
  await code.shot("kernel-death");
  await code.open("curve.py");
  await code.command("Torchwise: Run Selection or File");
  await view.locator("pre", { hasText: "there are 9 points" }).nth(1).waitFor();
});

step("Dynamo is asked about what is compiled", async () => {
  await code.open("compiled.py");
  await code.editor.locator(".codelens-decoration a", { hasText: "Check graph breaks for real" }).click();
  const view = await code.webview("#runs");
  await view.locator("pre", { hasText: /\d graphs?, \d+ operation/ }).waitFor();
  await code.editor.locator(".squiggly-info").first().waitFor();
  await code.shot("graph-breaks");
});

step("real shapes stand behind assignments", async () => {
  await code.command("Torchwise: Show Real Shapes");
  const behind = () =>
    code.page.evaluate(() =>
      [...document.querySelectorAll(".view-line span")].map((one) => getComputedStyle(one, "::after").content).join(),
    );
  await eventually(async () => /sharp: f32\[4,\s3\]/.test(await behind()));
  await code.shot("real-shapes");
});

step("a rule page runs its two programs", async () => {
  await code.command("View: Close All Editors");
  await code.open("layers.py");
  await code.goto(53, 30);
  await code.editor.locator(".squiggly-error").first().waitFor();
  await code.command("Torchwise: Open Rule Page");
  const page = await code.webview("button[data-do=bad]");
  await page.locator("h1", { hasText: "view-on-non-contiguous" }).waitFor();
  await code.page.locator('.tab.active[data-resource-name="view-on-non-contiguous.torchwise-rule"]').waitFor();
  await page.locator("button[data-do=bad]").click();
  await page.locator("#runs .error", { hasText: "RuntimeError" }).waitFor();
  await page.locator("button[data-do=good]:not([disabled])").click();
  await page.locator("#runs .run.good").waitFor();
  await code.shot("rule-page");
});
