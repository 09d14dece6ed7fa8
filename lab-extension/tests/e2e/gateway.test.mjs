// Kernels of another machine: JupyterLab with a gateway, here a second Jupyter server that has our kernels.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { notebook, run, shot, startBrowser, startLab, TOKEN, visit } from './lab.mjs';

const READER = '#torchwise-reader';
const ASKING =
  'import os, torch\nprint("run at", os.environ["ORCHARD"], "sees", repr(os.environ["CUDA_VISIBLE_DEVICES"]), torch.arange(3).tolist())';

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

test('a snippet of a lesson, and a cell, run on a kernel of the gateway', async t => {
  const page = await visit(t, browser, lab.url('here.ipynb'));
  await page.waitForSelector('.jp-Notebook .cm-content');
  await run(page, 'torchwise:open-lesson', { id: '02-tensors/views', anchor: null });
  const snippet = page.locator(`${READER} .tw-Snippet:not(.tw-Exercise)`).first();
  await page.waitForSelector(`${READER} .tw-Device`);
  assert.equal(await page.locator('.tw-Device option[value="torchwise-cpu"]').isDisabled(), false);
  await page.selectOption('.tw-Device', 'torchwise-cpu');
  await snippet.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(ASKING);
  await snippet.locator('.tw-Button-run').click();
  await page.waitForSelector(
    `${READER} .jp-OutputArea-output:has-text("run at the gateway sees '' [0, 1, 2]")`
  );
  await shot(page, 'gateway');
  const kernels = await there.ask('api/kernels');
  assert.ok(kernels.some(kernel => kernel.name === 'torchwise-cpu'));
  assert.equal(lab.log.join('').includes(`token ${TOKEN}`), false);
});
