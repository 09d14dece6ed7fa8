/**
 * Where the kernel's state is not that of the document's order.
 *
 * Findings follow the cells from top to bottom. A kernel was run in the order of its execution counts, so below
 * a cell that was run again, or changed after it was run, values may be others than the text says.
 */

export interface IRunCell {
  /** Among all cells, from 1. */
  number: number;
  /** Null where it was not run. */
  count: number | null;
  /** Was its text changed since it was run? */
  edited: boolean;
}

export interface IStale {
  /** A cell that was run before one above it was. */
  number: number;
  after: number;
  why: 'rerun' | 'edited' | 'skipped';
}

/** The first cell whose values are not those of the order, and the cell above it that is why. */
export function staleOrder(cells: IRunCell[]): IStale | null {
  let last: { number: number; count: number } | null = null;
  let skipped: IRunCell | null = null;
  let edited: IRunCell | null = null;
  for (const cell of cells) {
    if (cell.count === null) {
      skipped ??= cell;
      continue;
    }
    if (last !== null && cell.count < last.count) {
      return { number: cell.number, after: last.number, why: 'rerun' };
    }
    if (edited !== null) {
      return { number: cell.number, after: edited.number, why: 'edited' };
    }
    if (skipped !== null) {
      return { number: cell.number, after: skipped.number, why: 'skipped' };
    }
    if (cell.edited) {
      edited = cell;
    }
    last = { number: cell.number, count: cell.count };
  }
  return null;
}
