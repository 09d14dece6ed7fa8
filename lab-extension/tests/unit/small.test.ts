// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { withCode } from '../../src/editor/explanation';
import { markdownOf } from '../../src/editor/markup';
import { entryAt } from '../../src/entry';
import { calling, literal } from '../../src/kernels';
import { offsetAt, touches, whole } from '../../src/positions';

test('positions count UTF-16 units, and past the end of a line is its end', () => {
  const text = 'ab\n𝄞c\n';
  expect(offsetAt(text, { line: 1, character: 2 })).toBe(5);
  expect(offsetAt(text, { line: 0, character: 99 })).toBe(2);
  expect(offsetAt(text, { line: 9, character: 0 })).toBe(text.length);
  expect(whole(text).end).toEqual({ line: 2, character: 0 });
  const range = { start: { line: 0, character: 1 }, end: { line: 1, character: 0 } };
  expect(touches(range, { line: 0, character: 5 })).toBe(true);
  expect(touches(range, { line: 1, character: 1 })).toBe(false);
});

test('what stands between backticks is code, and nothing becomes markup', () => {
  const nodes = withCode('`<b>x</b>` is <i>f32</i>');
  const holder = document.createElement('div');
  holder.append(...nodes);
  expect(holder.querySelector('code')?.textContent).toBe('<b>x</b>');
  expect(holder.querySelector('b, i')).toBeNull();
});

test('hovers of every form that LSP knows', () => {
  expect(markdownOf('a')).toBe('a');
  expect(markdownOf({ kind: 'markdown', value: '**a**' })).toBe('**a**');
  expect(markdownOf({ kind: 'plaintext', value: 'a' })).toContain('```');
  expect(markdownOf([{ language: 'python', value: 'x' }, 'b'])).toBe('```python\nx\n```\n\nb');
});

test('the entry of a line is the definition at the top that holds it', () => {
  const source = [
    'import torch',
    '',
    '@torch.compile',
    'def step(x):',
    '    y = x',
    '',
    '    return y',
    'net = torch.compile(step)',
    'print(net)'
  ].join('\n');
  expect(entryAt(source, 6)).toBe('step');
  expect(entryAt(source, 3)).toBe('step');
  expect(entryAt(source, 2)).toBe('step');
  expect(entryAt(source, 7)).toBe('net');
  expect(entryAt(source, 8)).toBe(null);
  expect(entryAt(source, 0)).toBe(null);
});

test('texts reach a kernel as they are', () => {
  expect(literal('a"\\\n')).toBe('"a\\"\\\\\\n"');
  expect(calling('def f(space, x): pass', 'f', ['é'])).toContain(
    'space["f"](globals(), json.loads('
  );
});
