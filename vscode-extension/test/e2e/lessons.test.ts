/** The course in the editor: the view, a lesson as a notebook, its snippets and exercises. */
import assert from "node:assert/strict";
import { code, share, step } from "./steps";
import { eventually } from "./workbench";

share();

const SNIPPET = /import\storch/; // lines that are not in view are not in the page
const cell = (text: string | RegExp) => code.page.locator(".notebookOverlay .code-cell-row", { hasText: text }).first();

step("modules and lessons are listed", async () => {
  await code.page.locator('.activitybar a.action-label[aria-label^="Torchwise"]').click();
  const modules = code.page.locator(".part.sidebar .monaco-list-row");
  await modules.filter({ hasText: "2 " }).first().waitFor();
  await modules.filter({ hasText: /^2 / }).first().click();
  await modules
    .filter({ hasText: "Strides" })
    .or(modules.filter({ hasText: "strides" }))
    .first()
    .waitFor();
  await code.shot("lessons");
});

step("a lesson opens beside the code", async () => {
  await code.open("layers.py");
  await code.page
    .locator(".part.sidebar .monaco-list-row", { hasText: /strides/i })
    .first()
    .click();
  await cell(SNIPPET).waitFor();
  assert.equal(await code.page.locator(".editor-group-container").count(), 2);
  await code.shot("lesson");
});

step("a snippet runs on the chosen kernel", async () => {
  await cell(SNIPPET).click();
  await code.command("Torchwise: Run Lesson Snippet");
  const output = await code.webview(".output_container");
  await output.locator(".output", { hasText: "(4, 1)" }).first().waitFor();
  await code.shot("snippet");
});

step("a link of a lesson leads to another one", async () => {
  const text = await code.webview("#preview, .markup");
  await text.locator("a", { hasText: "Making tensors" }).first().click();
  await code.page.locator('.tab.active[data-resource-name="making.torchwise-lesson"]').waitFor();
  await code.page.locator('.tab[data-resource-name="views.torchwise-lesson"]').click();
});

step("lessons are searched while one types", async () => {
  await code.command("Torchwise: Search Lessons");
  await code.box.fill("contiguous");
  await code.row(/02-tensors/).waitFor();
  await code.shot("search");
  await code.page.keyboard.press("Escape");
});

step("a lesson is marked as done", async () => {
  await code.command("Torchwise: Mark as Done");
  await code.page.locator(".part.sidebar .codicon-pass-filled").first().waitFor();
});

step("a finding leads to its lesson", async () => {
  await code.command("View: Close All Editors");
  await code.open("layers.py");
  await code.goto(53, 30);
  await code.editor.locator(".squiggly-error").first().waitFor();
  await code.press(
    ["Control+."],
    code.page.locator(".action-widget .monaco-list-row", { hasText: "Open lesson for TW301" }),
  );
  await code.shot("light-bulb");
  await code.page.keyboard.press("Escape");
  await code.command("Torchwise: Open Lesson for This Finding");
  await code.page.locator('.tab.active[data-resource-name$=".torchwise-lesson"]').waitFor();
});

step("shapes are known in the cells of a lesson", async () => {
  await code.page.locator(".notebookOverlay .view-line span[class*=dyn-rule]", { hasText: /f32\[/ }).first().waitFor();
});

step("a snippet is copied to a file with what it needs", async () => {
  await code.page.locator(".notebookOverlay .code-cell-row .view-line").first().click();
  await code.command("Torchwise: Copy to Scratch File");
  await code.page.locator(".tab.active", { hasText: "Untitled" }).waitFor();
  assert.equal(await code.page.locator(".editor-group-container").count(), 2, "no third column");
  await code.page
    .locator(".editor-instance .view-line", { hasText: /import\storch/ })
    .first()
    .waitFor();
});

step("an exercise is checked, and its solution holds", async () => {
  const rows = code.page.locator(".part.sidebar .monaco-list-row");
  await rows
    .filter({ hasText: /strides/i })
    .first()
    .locator(".monaco-tl-twistie")
    .click();
  await rows
    .filter({ hasText: /^Exercise/ })
    .first()
    .click();
  const answer = code.page.locator(".notebookOverlay .code-cell-row", { hasText: "Solution" }).first();
  const button = (label: string) => answer.locator(`.cell-status-item[aria-label^="${label}"]`);
  await code.shot("exercise-begun");
  await button("Check my answer").click();
  const output = await code.webview(".output_container");
  await output.locator(".output_container", { hasText: "Error" }).first().waitFor();
  for (const label of ["Check my answer", "Show the solution", "Start over"]) {
    await button(label).click({ trial: true });
    assert.ok(await button(label).evaluate(isWhole), `${label} is cut off`);
  }
  // Cells that are not in view are not in the page; the status bar counts them.
  const cells = async () =>
    Number(/Cell \d+ of (\d+)/.exec((await code.page.locator(".statusbar").textContent()) ?? "")?.[1]);
  const before = await cells();
  await button("Show the solution").click();
  await eventually(async () => (await cells()) === before + 1);
  await code.shot("exercise");
});

/** Nothing that it lies in, up to its cell, ends before it does. */
function isWhole(item: Element): boolean {
  const { right } = item.getBoundingClientRect();
  for (let around = item.parentElement; around && !around.matches(".code-cell-row"); around = around.parentElement)
    if (around.getBoundingClientRect().right < right - 1) return false;
  return true;
}
