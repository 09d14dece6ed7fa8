import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenFile, OpenNotebook } from '../../src/documents';
import { cells, FakeTeller, file } from './fakes';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a change is sent once typing pauses, as the whole text', () => {
  const teller = new FakeTeller();
  const model = file('a = 1');
  new OpenFile(teller, 'file:///a.py', model);
  model.updateSource(5, 5, '0');
  model.updateSource(6, 6, '0');
  expect(teller.said).toHaveLength(1);
  vi.advanceTimersByTime(50);
  expect(teller.last()).toEqual({
    method: 'textDocument/didChange',
    params: {
      textDocument: { uri: 'file:///a.py', version: 3 },
      contentChanges: [{ text: 'a = 100' }]
    }
  });
});

test('what was typed is sent before it is asked about', () => {
  const teller = new FakeTeller();
  const model = file('a = 1');
  const open = new OpenFile(teller, 'file:///a.py', model);
  model.updateSource(0, 1, 'b');
  open.flush();
  expect(teller.last().params.contentChanges).toEqual([{ text: 'b = 1' }]);
  vi.advanceTimersByTime(50);
  expect(teller.said).toHaveLength(2);
});

test('only the cell that changed is sent', () => {
  const teller = new FakeTeller();
  const three = cells('a', 'b', 'c');
  new OpenNotebook(teller, 'file:///n.ipynb', three);
  three[1].model.setSource('bb');
  vi.advanceTimersByTime(50);
  const { cells: changed } = teller.last().params.change;
  expect(changed.textContent.map((row: { changes: unknown }) => row.changes)).toEqual([
    [{ text: 'bb' }]
  ]);
});

test('cells have the addresses that VS Code gives them', () => {
  const teller = new FakeTeller();
  new OpenNotebook(teller, 'file:///a%20b/n.ipynb', cells('a'));
  expect(teller.last().params.cellTextDocuments[0].uri).toBe(
    'vscode-notebook-cell:/a%20b/n.ipynb#c0'.replace(':/', ':///')
  );
});

test('a list of cells that changed is one stretch', () => {
  const teller = new FakeTeller();
  const [a, b, c, d] = cells('a', 'b', 'c', 'd');
  const open = new OpenNotebook(teller, 'file:///n.ipynb', [a, b, d]);
  open.update([a, c, d]);
  const { structure } = teller.last().params.change.cells;
  expect(structure.array).toMatchObject({ start: 1, deleteCount: 1 });
  expect(structure.didOpen.map((item: { text: string }) => item.text)).toEqual(['c']);
  expect(structure.didClose).toHaveLength(1);
});

test('a cell that was moved is never opened and closed at once', () => {
  const teller = new FakeTeller();
  const [a, b, c] = cells('a', 'b', 'c');
  const open = new OpenNotebook(teller, 'file:///n.ipynb', [a, b, c]);
  const [copy] = cells('b');
  open.update([{ ...copy, id: b.id }, a, c]); // JupyterLab makes another model with the same id
  const splice = teller.said.find(row => row.params.change?.cells?.structure);
  const { structure } = splice?.params.change.cells ?? {};
  const opened = structure.didOpen.map((item: { uri: string }) => item.uri);
  const closed = structure.didClose.map((item: { uri: string }) => item.uri);
  expect(opened.filter((uri: string) => closed.includes(uri))).toEqual([]);
  expect(
    structure.array.cells.map((cell: { document: string }) => cell.document.slice(-2))
  ).toEqual(['c1', 'c0']);
});

test('numbers of cells follow the notebook', () => {
  const teller = new FakeTeller();
  const [a, b] = cells('a', 'b');
  const open = new OpenNotebook(teller, 'file:///n.ipynb', [a, b]);
  open.update([a, { ...b, number: 5 }]);
  expect(open.texts.map(text => text.cell)).toEqual([1, 5]);
});

test('nothing is sent while there is no server', () => {
  const teller = new FakeTeller();
  teller.ready = false;
  const model = file('a');
  const open = new OpenFile(teller, 'file:///a.py', model);
  model.setSource('b');
  vi.advanceTimersByTime(50);
  expect(teller.said).toEqual([]);
  teller.ready = true;
  open.open();
  expect(teller.last().params.textDocument).toMatchObject({ text: 'b', version: 2 });
});
