/**
 * What a kernel holds, laid over what was inferred.
 *
 * A kernel knows the last value of a name only, so it is shown where the name was bound last in what has been
 * run. Names are found by their assignments at the top of a cell: those that a kernel keeps.
 */

export interface IForm {
  shape: number[];
  dtype: string;
  device: string;
  requiresGrad: boolean;
}

export type Observed = Record<string, IForm>;

export interface IPlace {
  cell: number;
  offset: number;
}

const SHORT: Record<string, string> = {
  float16: 'f16',
  bfloat16: 'bf16',
  float32: 'f32',
  float64: 'f64',
  complex64: 'c64',
  complex128: 'c128'
};

/** As inferred shapes are written: `f32[2, 3]`. */
export function labelOf(form: IForm): string {
  const dtype = SHORT[form.dtype] ?? form.dtype.replace('uint', 'u').replace(/^int/, 'i');
  return `${dtype}[${form.shape.join(', ')}]`;
}

export function tooltipOf(form: IForm): string {
  const grad = form.requiresGrad ? 'requires grad' : 'no grad';
  return `In the kernel: ${labelOf(form)} on ${form.device}, ${grad}`;
}

const TARGETS = /^((?:[A-Za-z_]\w*\s*,\s*)*[A-Za-z_]\w*)\s*(?::[^=\n]+)?(?:=(?!=)|[-+*/@|&^%]=)/gm;

/** Where each name is bound last, given the texts of the cells that have been run, in order. */
export function lastBindings(cells: string[]): Map<string, IPlace> {
  const places = new Map<string, IPlace>();
  cells.forEach((source, cell) => {
    for (const found of source.matchAll(TARGETS)) {
      for (const name of found[1].matchAll(/\w+/g)) {
        places.set(name[0], {
          cell,
          offset: found.index + name.index + name[0].length
        });
      }
    }
  });
  return places;
}

/** May both be of one tensor? A symbol among the inferred lengths may be any number. */
export function agrees(inferred: string, form: IForm): boolean {
  const found = /\b(\w+)\[([^[\]]*)\]/.exec(inferred);
  if (!found) {
    return true;
  }
  const real = /\b(\w+)\[/.exec(labelOf(form));
  const lengths = found[2].trim() ? found[2].split(',').map(part => part.trim()) : [];
  return (
    (found[1] === real?.[1] || found[1] === 'tensor') &&
    (lengths.includes('...') ||
      (lengths.length === form.shape.length &&
        lengths.every(
          (length, axis) => !/^\d+$/.test(length) || Number(length) === form.shape[axis]
        )))
  );
}
