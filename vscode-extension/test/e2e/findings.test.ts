/** What the server finds, as people meet it in the editor. */
import assert from "node:assert/strict";
import { code, host, share, step } from "./steps";
import { eventually } from "./workbench";

share({
  settings: { "editor.codeActionsOnSave": { "source.fixAll.torchwise": "explicit" } },
  files: { "late.py": "import torch\n\n" },
});

step("errors and warnings have squiggles of their own", async () => {
  await code.open("layers.py");
  await code.editor.locator(".squiggly-error").first().waitFor();
  await code.open("serve.py");
  await code.editor.locator(".squiggly-warning").nth(2).waitFor();
  await code.shot("findings");
});

step("shapes stand beside assignments", async () => {
  await code.open("networks.py");
  await code.editor
    .locator(".view-line span[class*=dyn-rule]", { hasText: /:\s.*\[/ })
    .first()
    .waitFor();
  await code.shot("shapes");
});

step("a pointer on a value shows its shape", async () => {
  await code.editor
    .locator(".view-line span", { hasText: /^flat$/ })
    .first()
    .hover();
  await code.page.locator(".monaco-hover:visible .hover-contents", { hasText: /shape/ }).first().waitFor();
  await code.shot("hover");
  await code.page.keyboard.press("Escape");
});

step("the problems panel shows the whole workspace, with related places", async () => {
  await code.command("View: Focus Problems");
  await code.problem("TW201").first().waitFor();
  await code.problem("kept here").first().waitFor();
  await code.shot("problems");
  await code.filterProblems("TW101");
  await code.problem("nothing clears them between the two").first().waitFor();
  await code.filterProblems("");
});

step("the code of a finding leads to the page of its rule", async () => {
  await code.page
    .locator(".markers-panel a.code-link, .markers-panel .code a, .markers-panel a", { hasText: "TW201" })
    .first()
    .click();
  await code.page.locator('.tab.active[data-resource-name="inplace-breaks-backward.torchwise-rule"]').waitFor();
  const page = await code.webview("button[data-do=bad]");
  await page.locator("h1", { hasText: "inplace-breaks-backward" }).waitFor();
});

step("a quick fix changes the file", async () => {
  await code.command("View: Hide Panel");
  await code.open("layers.py");
  await code.goto(53, 30);
  await code.editor.locator(".squiggly-error").first().waitFor();
  await code.press(["Control+."], code.page.locator(".action-widget .monaco-list-row", { hasText: "reshape" }));
  await code.shot("quick-fix");
  await code.page.keyboard.press("Enter");
  await code.editor.locator(".view-line", { hasText: "reshape" }).waitFor();
  await code.save();
  await eventually(() => /transpose\(1, 2\)\.reshape/.test(host.read("orchard/layers.py")));
});

step("a finding can be ignored on its line", async () => {
  await code.goto(28, 12);
  await code.press(["Control+."], code.page.locator(".action-widget .monaco-list-row", { hasText: "Ignore TW201" }));
  await code.page.locator(".action-widget .monaco-list-row", { hasText: "Ignore TW201" }).click({ force: true });
  await code.editor.locator(".view-line", { hasText: "TW201" }).waitFor();
  await code.save();
  await eventually(() => /# noqa: TW201/.test(host.read("orchard/layers.py")));
  await eventually(async () => (await code.editor.locator(".squiggly-error").count()) === 0);
});

step("saving mends all that can be mended safely", async () => {
  await code.open("networks.py");
  await code.editor.locator(".squiggly-error").first().waitFor();
  await code.goto(1, 1);
  await code.page.keyboard.type(" ");
  await code.page.keyboard.press("Backspace");
  await code.page.keyboard.press("Control+S");
  await eventually(() => /no_grad/.test(host.read("orchard/networks.py")));
});

step("a cell is judged by what an earlier one did", async () => {
  await code.command("View: Close All Editors");
  await code.open("look.ipynb");
  const cell = code.page.locator(".notebookOverlay .code-cell-row", { hasText: "permute" }).first();
  await cell.locator(".squiggly-error").waitFor();
  await code.shot("notebook");
});

step("the server dies, and findings come again", async () => {
  const [before] = host.servers();
  assert.ok(before, "no server runs");
  process.kill(before, "SIGKILL");
  await eventually(() => host.servers().some((pid) => pid !== before));
  await code.command("View: Close All Editors");
  await code.open("late.py");
  await code.goto(2);
  await code.page.keyboard.type("rows = torch.ones(2, 3).t().view(6)");
  await code.editor.locator(".squiggly-error").first().waitFor();
});

step("the server can be restarted", async () => {
  const starts = () => host.log().split("server: ").length;
  const before = starts();
  await code.command("Torchwise: Restart Server");
  await eventually(() => starts() > before);
  await code.open("serve.py");
  await code.editor.locator(".squiggly-warning").nth(2).waitFor();
  assert.match(host.log(), /Torchwise 0\.\d+\.\d+ runs in/);
});
