/** A lesson as a notebook of the user's own. One that is there is opened as it is. */

import type { Contents } from '@jupyterlab/services';
import { withOwnLinks } from '../links';
import type { ICell, ILesson } from './messages';

/** What nbformat 4.5 says. Solutions are there, folded away; an exercise has a line that says so. */
export function notebookOf(lesson: ILesson, kernel: string): object {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: { name: kernel, display_name: kernel, language: 'python' },
      language_info: { name: 'python' },
      torchwise: { lesson: lesson.lesson.id }
    },
    cells: lesson.cells.map((cell, index) => cellOf(cell, index))
  };
}

function cellOf(cell: ICell, index: number): object {
  const id = `${cell.name ?? cell.role}-${index}`.replace(/[^A-Za-z0-9_-]/g, '-').slice(-64);
  if (cell.kind === 'markdown') {
    return { id, cell_type: 'markdown', metadata: {}, source: withOwnLinks(cell.source) };
  }
  const hidden = cell.role === 'solution' ? { jupyter: { source_hidden: true } } : {};
  const tags = cell.raises ? ['raises-exception'] : [];
  return {
    id,
    cell_type: 'code',
    execution_count: null,
    metadata: { ...hidden, ...(tags.length ? { tags } : {}) },
    outputs: [],
    source: cell.source
  };
}

/** The path of the copy, which is made where there is none. */
export async function ownCopy(
  contents: Contents.IManager,
  folder: string,
  lesson: ILesson,
  kernel: string
): Promise<string> {
  const path = `${folder}/${lesson.lesson.id}.ipynb`;
  if (await exists(contents, path)) {
    return path;
  }
  const parts = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const parent = parts.slice(0, depth).join('/');
    if (!(await exists(contents, parent))) {
      await contents.save(parent, { type: 'directory' });
    }
  }
  await contents.save(path, {
    type: 'notebook',
    format: 'json',
    content: notebookOf(lesson, kernel)
  });
  return path;
}

async function exists(contents: Contents.IManager, path: string): Promise<boolean> {
  return contents.get(path, { content: false }).then(
    () => true,
    () => false
  );
}
