// Notebooks that run: devices, order, real shapes, real graph breaks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  cell,
  idle,
  notebook,
  run,
  shot,
  startBrowser,
  startLab,
  type,
  until,
  visit
} from './lab.mjs';

const SHAPES = [
  'import torch\n\nn = int("7")',
  'rows = torch.zeros(n, 3)',
  'mean = rows.mean(dim=0)\nmean.shape'
];
const BREAKS = [
  'import torch\n\ndef step(x):\n    y = x * 2\n    print("seen")\n    return y + 1',
  'fast = torch.compile(step, backend="eager")',
  'out = fast(torch.ones(3))'
];
const FILE =
  'import torch\n\n\n@torch.compile(backend="eager")\ndef step(x):\n    y = x * 2\n    print("seen")\n    return y + 1\n\n\nif __name__ == "__main__":\n    step(torch.ones(3))\n';

let lab;
let browser;
before(async () => {
  lab = await startLab({
    'shapes.ipynb': notebook(SHAPES, 'torchwise-cpu'),
    'device.ipynb': notebook(SHAPES),
    'breaks.ipynb': notebook(BREAKS, 'torchwise-cpu'),
    'step.py': FILE
  });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await lab?.stop();
});

async function runAll(page) {
  await idle(page); // cells that are run before there is a kernel are not run
  await cell(page, 0).click();
  await run(page, 'notebook:run-all-cells');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].every(node =>
      /\[\d+\]/.test(node.textContent)
    )
  );
  await idle(page);
}

test('shapes that the kernel holds are laid over those that were inferred', async t => {
  const page = await visit(t, browser, lab.url('shapes.ipynb'));
  await page.waitForSelector('.tw-Hint');
  await runAll(page);
  await run(page, 'torchwise:show-real-shapes');
  await page.waitForSelector('.tw-Hint.tw-mod-observed:has-text("f32[7, 3]")');
  await page.waitForSelector('.tw-Hint.tw-mod-observed:has-text("f32[3]")');
  await shot(page, 'real-shapes');
  await type(page, cell(page, 1), ' + 1');
  await until(page, '.jp-CodeCell:nth-child(2) .tw-mod-observed', 0);
  await run(page, 'torchwise:show-real-shapes');
  await until(page, '.tw-mod-observed', 0);
});

test('cells that were run out of order are named', async t => {
  const page = await visit(t, browser, lab.url('shapes.ipynb'));
  await page.waitForSelector('.tw-Status:has-text("No problems")');
  await runAll(page);
  assert.equal(await page.locator('.tw-Stale').count(), 0);
  await cell(page, 0).click();
  await run(page, 'notebook:run-cell');
  await page.waitForSelector('.tw-Stale:has-text("Cell 1 was run after cell 2")');
  await shot(page, 'out-of-order');
});

test('the device is changed, after it was said what that does', async t => {
  const page = await visit(t, browser, lab.url('device.ipynb'));
  await page.waitForSelector('.tw-DevicePicker:has-text("any")');
  await runAll(page);
  await page.click('.tw-DevicePicker');
  await page.waitForSelector('.tw-DeviceMenu .lm-Menu-item:has-text("CUDA 0")');
  await shot(page, 'device-menu');
  await page.click('.tw-DeviceMenu .lm-Menu-item:has-text("CPU")');
  await page.waitForSelector('.jp-Dialog:has-text("3 cells were run")');
  await shot(page, 'device-dialog');
  await page.click('.jp-Dialog .jp-mod-accept');
  await page.waitForSelector('.tw-DevicePicker:has-text("CPU")');
  await idle(page);
  const { kernelspecs } = await lab.ask('api/kernelspecs');
  assert.equal(kernelspecs['torchwise-cpu'].spec.display_name, 'Python (torch, CPU)');
});

test('graph breaks for real, in the kernel of a notebook', async t => {
  const page = await visit(t, browser, lab.url('breaks.ipynb'));
  await page.waitForSelector('.tw-Hint');
  await runAll(page);
  await cell(page, 2).click();
  await run(page, 'torchwise:check-graph-breaks');
  await page.waitForSelector('#torchwise-report h3:has-text("1 break")');
  await page.waitForSelector('#torchwise-report .tw-Link:has-text("cell 1, line 5")');
  await page.waitForSelector('.jp-CodeCell >> nth=0 >> .tw-Hint:has-text("graph break")');
  await shot(page, 'graph-breaks');
});

test('graph breaks for real, of a function in a file', async t => {
  const page = await visit(t, browser, lab.url('step.py'));
  const editor = page.locator('.jp-FileEditor .cm-content');
  await page.waitForSelector('.jp-FileEditor .tw-Hint');
  await editor.locator('.cm-line', { hasText: 'x * 2' }).click();
  await run(page, 'torchwise:check-graph-breaks');
  await page.waitForSelector('#torchwise-report h3:has-text("1 break")');
  await page.waitForSelector('#torchwise-report .tw-Link:has-text("line 7")');
});
