// Kernels of another machine: JupyterLab with a gateway, here a second Jupyter server that has our kernels.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cell, idle, notebook, run, shot, startBrowser, startLab, TOKEN, visit } from './lab.mjs';

const READER = '#torchwise-reader';
const ASKING =
  'import os, torch\nprint("run at", os.environ["ORCHARD"], "sees", repr(os.environ.get("CUDA_VISIBLE_DEVICES")), torch.arange(3).tolist())';

let there;
let lab;
let browser;
before(async () => {
  there = await startLab({}, { application: 'jupyter_server', env: { ORCHARD: 'the gateway' } });
  const args = [`--gateway-url=${there.base}`, `--GatewayClient.auth_token=${TOKEN}`];
  lab = await startLab({ 'here.ipynb': notebook([ASKING]) }, { args, env: { ORCHARD: 'home' } });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await lab?.stop();
  await there?.stop();
});

test('a cell, and a snippet of a lesson, run on kernels of the gateway', async t => {
  const page = await visit(t, browser, lab.url('here.ipynb'));
  await idle(page);
  await cell(page, 0).click();
  await run(page, 'notebook:run-cell');
  const printed = `.jp-OutputArea-output:has-text("run at the gateway sees`;
  await page.waitForSelector(`.jp-Notebook ${printed}")`);
  await run(page, 'torchwise:open-lesson', { id: '02-tensors/views', anchor: null });
  const snippet = page.locator(`${READER} .tw-Snippet:not(.tw-Exercise)`).first();
  await page.waitForSelector(`${READER} .tw-Device`);
  assert.equal(await page.locator('.tw-Device option[value="torchwise-cpu"]').isDisabled(), false);
  await page.selectOption('.tw-Device', 'torchwise-cpu');
  await snippet.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(ASKING);
  await snippet.locator('.tw-Button-run').click();
  await page.waitForSelector(`${READER} ${printed} '' [0, 1, 2]")`);
  await shot(page, 'gateway');
  const kernels = await there.ask('api/kernels');
  assert.deepEqual(kernels.map(kernel => kernel.name).sort(), ['python3', 'torchwise-cpu']);
  assert.equal(lab.log.join('').includes(`token ${TOKEN}`), false);
});
