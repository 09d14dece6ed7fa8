import { expect, test } from 'vitest';
import { type IRunCell, staleOrder } from '../../src/order';

const cells = (...rows: [number | null, boolean?][]): IRunCell[] =>
  rows.map(([count, edited], index) => ({ number: index + 1, count, edited: !!edited }));

test('what ran from top to bottom is in order', () => {
  expect(staleOrder(cells([1], [2], [5]))).toBeNull();
  expect(staleOrder(cells([1], [2], [null]))).toBeNull();
  expect(staleOrder([])).toBeNull();
});

test('a cell above that was run again makes those below stale', () => {
  expect(staleOrder(cells([4], [2], [3]))).toEqual({ number: 2, after: 1, why: 'rerun' });
});

test('a cell that was changed since makes those below stale, but not itself', () => {
  expect(staleOrder(cells([1], [2, true], [3]))).toEqual({ number: 3, after: 2, why: 'edited' });
  expect(staleOrder(cells([1], [2, true]))).toBeNull();
});

test('a cell that was passed over', () => {
  expect(staleOrder(cells([1], [null], [2]))).toEqual({ number: 3, after: 2, why: 'skipped' });
});
