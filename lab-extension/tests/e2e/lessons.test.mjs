// The course: read, run, search, exercises, pages of rules, and notebooks of one's own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { notebook, run, shot, startBrowser, startLab, until, visit } from './lab.mjs';

const LESSON = '02-tensors/views';
const READER = '#torchwise-reader';
const OUTPUT = `${READER} .jp-OutputArea-output`;
const FAULTY = notebook(['import torch\n\nx = torch.randn(2, 3).t()', 'x.view(6)']);

let lab;
let browser;
before(async () => {
  lab = await startLab({ 'faulty.ipynb': FAULTY });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await lab?.stop();
});

/** Puts code of the test into the first snippet of the lesson, and runs it. */
async function runHere(page, code) {
  const snippet = page.locator(`${READER} .tw-Snippet:not(.tw-Exercise)`).first();
  await snippet.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(code);
  await snippet.locator('.tw-Button-run').click();
}

async function reading(t, anchor = null) {
  const page = await visit(t, browser, lab.url('faulty.ipynb'));
  await page.waitForFunction(
    async () => (await window.jupyterapp.commands.execute('torchwise:status')).state === 'ready'
  );
  await page.waitForSelector('.jp-Notebook .cm-content');
  await run(page, 'torchwise:open-lesson', { id: LESSON, anchor });
  await page.waitForSelector(`${READER} .tw-Snippet .cm-content`);
  await page.waitForSelector(`${READER} .tw-Device`);
  return page;
}

test('the side bar lists modules and lessons; search leads to a section', async t => {
  const page = await visit(t, browser, lab.url('faulty.ipynb'));
  await run(page, 'torchwise:open-lessons');
  await page.click('.tw-Module > summary:has-text("Tensors")');
  await page.click('.tw-LessonRow > summary:has-text("Views")');
  await page.waitForSelector('.tw-LessonRow[open] .tw-LessonRow-sections li');
  await shot(page, 'lessons');
  await page.fill('.tw-Lessons-search', 'contiguous');
  await page.click('.tw-Lessons-hits .tw-Link');
  await page.waitForSelector(`${READER} .tw-Text`);
});

test('a lesson reads with maths and code, and its first snippet runs', async t => {
  const page = await reading(t);
  await page.waitForSelector(`${READER} mjx-container, ${READER} .MathJax`);
  await page.click(`${READER} .tw-Button-run >> nth=0`);
  await page.waitForSelector('.tw-Reader-bar[data-state=idle]');
  assert.equal(await page.locator(`${READER} .jp-RenderedText[data-mime-type*=error]`).count(), 0);
  await shot(page, 'lesson');
});

test('text and a picture come out; the kernel is on the device that is chosen', async t => {
  const page = await reading(t);
  await runHere(page, 'import os\nprint("sees", repr(os.environ["CUDA_VISIBLE_DEVICES"]), device)');
  await page.waitForSelector(`${OUTPUT}:has-text("sees '' cpu")`);
  await runHere(page, 'import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()');
  await page.waitForSelector(`${READER} .jp-RenderedImage img`);
  await shot(page, 'lesson-picture');
  await page.selectOption('.tw-Device', 'python3');
  await page.waitForSelector('.tw-Reader-state:has-text("2 snippets have to be run again")');
  await runHere(page, 'import os\nprint("seen", os.environ.get("TORCHWISE_DEVICE"))');
  await page.waitForSelector(`${OUTPUT}:has-text("seen None")`);
});

test('a device that the machine has not got cannot be chosen', async t => {
  const page = await reading(t);
  const { cudaDevices } = await lab.ask('torchwise/info');
  const option = page.locator('.tw-Device option[value="torchwise-cuda-0"]');
  assert.equal(await option.isDisabled(), cudaDevices === 0);
});

test('a run is interrupted, and a kernel that dies is replaced', async t => {
  const page = await reading(t);
  await runHere(page, 'import time\nprint("sleeping", flush=True)\ntime.sleep(600)');
  await page.waitForSelector(`${OUTPUT}:has-text("sleeping")`);
  await page.click('.tw-Button-interrupt');
  await page.waitForSelector(`${OUTPUT}:has-text("KeyboardInterrupt")`);
  await runHere(page, 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)');
  await page.waitForSelector('.tw-Reader-bar[data-state=dead]');
  await page.waitForSelector(`${OUTPUT}:has-text("The kernel ended while this ran")`);
  await shot(page, 'lesson-kernel-died');
  await runHere(page, 'print("alive " + "again", device)');
  await page.waitForSelector(`${OUTPUT}:has-text("alive again cpu")`);
});

test('an exercise fails at the start, and is solved by its solution', async t => {
  const page = await reading(t);
  const exercise = page.locator(`${READER} .tw-Exercise`).first();
  await exercise.waitFor();
  await exercise.locator('.tw-Button-check').click();
  await exercise.locator('.jp-OutputArea-output:has-text("Not yet")').waitFor();
  await exercise.locator('.tw-Button-solution').click();
  await exercise.locator('.tw-Button-check').click();
  await exercise.locator('.jp-OutputArea-output:has-text("Solved")').waitFor();
  await exercise.scrollIntoViewIfNeeded();
  await shot(page, 'exercise');
});

test('a lesson is a notebook of one’s own, and is not written over', async t => {
  const page = await reading(t);
  await page.click(`${READER} .tw-Button-notebook`);
  await page.waitForSelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-MarkdownCell h1');
  const path = join(lab.root, 'torchwise-lessons', `${LESSON}.ipynb`);
  const made = JSON.parse(readFileSync(path, 'utf8'));
  assert.equal(made.metadata.kernelspec.name, 'torchwise-cpu');
  await page.waitForFunction(
    () => document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell').length > 3
  );
  await shot(page, 'lesson-notebook');
});

test('what is done is noted', async t => {
  const page = await reading(t);
  await page.click(`${READER} .tw-Button-done`);
  await page.waitForSelector(`${READER} .tw-Button-done:has-text("Done")`);
  await run(page, 'torchwise:open-lessons');
  await page.click('.tw-Module > summary:has-text("Tensors")');
  await page.waitForSelector('.tw-LessonRow-done');
});

test('from a finding to its lesson, and to the page of its rule, shown failing and fixed', async t => {
  const page = await visit(t, browser, lab.url('faulty.ipynb'));
  await until(page, '.jp-Notebook .cm-lintRange-error', 1);
  await page.locator('.jp-CodeCell').nth(1).locator('.cm-content').click();
  await run(page, 'torchwise:lesson-for-finding');
  await page.waitForSelector(`${READER} .tw-Snippet, ${READER} .tw-Proofs`);
  await run(page, 'torchwise:open-rule', { rule: 'view-on-non-contiguous' });
  await page.click(`${READER} .tw-Button-fail`);
  await page.waitForSelector(`${OUTPUT}:has-text("RuntimeError")`);
  assert.doesNotMatch(await page.textContent(OUTPUT), /torchwise_inside/);
  await shot(page, 'rule-page');
  await page.click(`${READER} .tw-Button-fixed`);
  await page.waitForFunction(
    at => !document.querySelector(at)?.textContent?.includes('RuntimeError'),
    `${READER} .tw-Proofs .jp-OutputArea`
  );
});
