import { expect, test } from 'vitest';
import type { ICell, ILesson } from '../../src/lessons/messages';
import { notebookOf, ownCopy } from '../../src/lessons/notebook';
import { linkOf, withOwnLinks } from '../../src/links';

const cell = (role: ICell['role'], source: string, more: Partial<ICell> = {}): ICell => ({
  kind: role === 'text' ? 'markdown' : 'code',
  role,
  source,
  row: 1,
  anchor: '',
  name: null,
  exercise: null,
  shadows: null,
  raises: null,
  finds: [],
  ...more
});
const LESSON: ILesson = {
  path: '/x.md',
  lesson: {
    id: '02-tensors/strides',
    title: 'Strides',
    goal: 'g',
    minutes: 5,
    needs: [],
    sections: [],
    snippets: 1,
    exercises: 1,
    done: false
  },
  cells: [
    cell('text', '# Strides\nSee [it](rule:view-on-non-contiguous).'),
    cell('snippet', 'x = 1', { name: 'one' }),
    cell('start', 'y', { exercise: 'e', raises: 'NameError: y' }),
    cell('solution', 'y = 1', { exercise: 'e' })
  ]
};

// biome-ignore lint/suspicious/noExplicitAny: a notebook is looked into freely
const made = () => notebookOf(LESSON, 'torchwise-cpu') as any;

test('a lesson is a notebook: ids differ, solutions are folded, failing cells do not stop it', () => {
  const { cells } = made();
  expect(new Set(cells.map((row: { id: string }) => row.id)).size).toBe(4);
  expect(cells[3].metadata.jupyter.source_hidden).toBe(true);
  expect(cells[2].metadata.tags).toEqual(['raises-exception']);
  expect(cells.every((row: { id: string }) => /^[A-Za-z0-9_-]{1,64}$/.test(row.id))).toBe(true);
});

test('a copy that is there is never written over', async () => {
  const saved: string[] = [];
  const contents = (there: string[]) =>
    ({
      get: async (path: string) => {
        if (!there.includes(path)) throw new Error('404');
      },
      save: async (path: string) => void saved.push(path)
    }) as never;
  const path = 'mine/02-tensors/strides.ipynb';
  expect(await ownCopy(contents([path]), 'mine', LESSON, 'k')).toBe(path);
  expect(saved).toEqual([]);
  expect(await ownCopy(contents([]), 'mine', LESSON, 'k')).toBe(path);
  expect(saved).toEqual(['mine', 'mine/02-tensors', path]);
});

test('our links survive a sanitiser that knows fragments only', () => {
  const markdown =
    'a [b](lesson:02-tensors/strides#views) [c](https://x.org) [d](note:torch.Tensor.view)';
  const links = [...withOwnLinks(markdown).matchAll(/\]\(([^)]+)\)/g)].map(found => found[1]);
  expect(linkOf(links[0])).toEqual({ kind: 'lesson', target: '02-tensors/strides#views' });
  expect(links[1]).toBe('https://x.org');
  expect(linkOf(links[2])).toEqual({ kind: 'note', target: 'torch.Tensor.view' });
  expect(linkOf('#views')).toBeNull();
});
