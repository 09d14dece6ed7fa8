// Notebook 7, both themes, and readers of screens.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { cell, notebook, point, run, shot, startBrowser, startLab, until, visit } from './lab.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FILES = {
  'three.ipynb': notebook([
    'import torch\n\npictures = torch.randn(8, 3, 32, 32)',
    'pixels = pictures.permute(0, 2, 3, 1)',
    'rows = pixels.view(-1, 3)\nrows.shape'
  ])
};
const ERROR = '.jp-Notebook .cm-lintRange-error';
const LEAST_CONTRAST = 4.5; // WCAG AA

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
});

async function started(t, options) {
  const lab = await startLab(FILES, options);
  t.after(() => lab.stop());
  return lab;
}

test('Notebook 7: findings, a fix, problems, lessons and the device', async t => {
  const lab = await started(t, { application: 'notebook' });
  const page = await visit(t, browser, lab.notebookUrl('three.ipynb'));
  await until(page, ERROR, 1);
  await page.waitForSelector('.tw-DevicePicker');
  await run(page, 'torchwise:open-problems');
  await until(page, '.tw-Problem', 1);
  await run(page, 'torchwise:open-lessons');
  await page.waitForSelector('.tw-Module');
  await run(page, 'torchwise:open-lesson', { id: '02-tensors/views', anchor: null });
  await page.waitForSelector('#torchwise-reader .tw-Snippet .cm-content');
  await shot(page, 'notebook-7');
  await point(page, ERROR, '.tw-Fix:has-text("reshape")');
  await page.click('.tw-Fix:has-text("reshape")');
  await until(page, ERROR, 0);
  // Notebook 7.6 raises one of its own while it loads its settings, also without any extension
  assert.deepEqual(
    page.errors.filter(error => error.includes('@torchwise')),
    []
  );
});

/** Of the text in elements to what is behind it. */
const contrasts = (page, selector) =>
  page.$$eval(selector, nodes => {
    const channels = color => color.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map(value => {
        const part = value / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = node => {
      for (let at = node; at; at = at.parentElement) {
        const color = channels(getComputedStyle(at).backgroundColor);
        if (color.length < 4 || color[3] > 0.9) return color;
      }
      return [255, 255, 255];
    };
    return nodes.map(node => {
      const [a, b] = [luminance(channels(getComputedStyle(node).color)), luminance(behind(node))];
      return {
        text: node.textContent.slice(0, 30),
        ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      };
    });
  });

for (const theme of ['JupyterLab Light', 'JupyterLab Dark']) {
  test(`${theme}: all is legible, and readers of screens find their way`, async t => {
    const lab = await started(t, { theme });
    const page = await visit(t, browser, lab.url('three.ipynb'));
    const name = theme.split(' ')[1].toLowerCase();
    await until(page, ERROR, 1);
    await page.waitForSelector('.tw-Hint');
    await run(page, 'torchwise:open-problems');
    await run(page, 'torchwise:open-lessons');
    await page.click('.tw-Module > summary >> nth=1');
    await page.click('.tw-Module[open] .tw-LessonRow > summary >> nth=0');
    await run(page, 'torchwise:open-rule', { rule: 'view-on-non-contiguous' });
    await page.waitForSelector('#torchwise-reader .tw-Proofs');
    await shot(page, `${name}-all`);
    await run(page, 'torchwise:open-lesson', { id: '02-tensors/views', anchor: null });
    await page.waitForSelector('#torchwise-reader .tw-Snippet .cm-content');
    await page.waitForSelector('#torchwise-reader .tw-Exercise');
    await page.evaluate(AXE);
    const violations = await page.evaluate(async () => {
      const own = [
        '#torchwise-lessons',
        '#torchwise-problems',
        '#torchwise-reader',
        '.tw-StatusItem',
        '.tw-DeviceButton'
      ];
      const found = await window.axe.run({
        include: own.map(at => [at]),
        exclude: [['.cm-editor'], ['.tw-Text']]
      });
      return found.violations.map(
        row => `${row.id}: ${row.nodes.map(node => node.html.slice(0, 90)).join(' | ')}`
      );
    });
    assert.deepEqual(violations, []);
    await shot(page, `${name}-lesson`);
    await cell(page, 0).click();
    await point(page, ERROR, '.cm-tooltip .tw-Fix');
    await shot(page, `${name}-tooltip`);
    const selector = [
      '.tw-Explanation',
      '.tw-Link',
      '.tw-Hint',
      '.tw-Problem-message',
      '.tw-Fix',
      '.tw-Status'
    ].join();
    const poor = (await contrasts(page, selector)).filter(row => row.ratio < LEAST_CONTRAST);
    assert.deepEqual(poor, []);
  });
}
