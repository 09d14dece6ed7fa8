import { expect, test } from 'vitest';
import { agrees, labelOf, lastBindings } from '../../src/observed';

const form = (shape: number[], dtype = 'float32') => ({
  shape,
  dtype,
  device: 'cpu',
  requiresGrad: false
});

test('forms are written as inferred ones are', () => {
  expect(labelOf(form([2, 3]))).toBe('f32[2, 3]');
  expect(labelOf(form([], 'int64'))).toBe('i64[]');
  expect(labelOf(form([1], 'uint8'))).toBe('u8[1]');
  expect(labelOf(form([1], 'bool'))).toBe('bool[1]');
});

test('a name is bound where it is assigned last at the top of a cell', () => {
  const places = lastBindings([
    'x = 1\ny = x',
    'def f():\n    x = 2\n\na, y = 3, 4\nx == 5\nx += 1'
  ]);
  expect(places.get('x')).toEqual({
    cell: 1,
    offset: 'def f():\n    x = 2\n\na, y = 3, 4\nx == 5\nx'.length
  });
  expect(places.get('y')?.cell).toBe(1);
  expect(places.get('a')).toEqual({ cell: 1, offset: 'def f():\n    x = 2\n\na'.length });
  expect(lastBindings(['x == 5\nf(x=1)']).size).toBe(0);
});

test('symbols agree with any length, numbers and dtypes only with themselves', () => {
  expect(agrees(': f32[B, 3]', form([8, 3]))).toBe(true);
  expect(agrees(': f32[8, 3]', form([8, 3]))).toBe(true);
  expect(agrees(': f32[8, 4]', form([8, 3]))).toBe(false);
  expect(agrees(': f32[8]', form([8, 3]))).toBe(false);
  expect(agrees(': i64[8, 3]', form([8, 3]))).toBe(false);
  expect(agrees(': tensor[...]', form([8, 3]))).toBe(true);
  expect(agrees(': f32[]', form([]))).toBe(true);
});
