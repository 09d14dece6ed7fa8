import { expect, test } from 'vitest';
import { choicesOf, firstChoice } from '../../src/devices';

const spec = (name: string, display_name: string, device?: string, language = 'python') => ({
  name,
  display_name,
  language,
  argv: [],
  resources: {},
  metadata: device ? { torchwise: { device } } : {}
});
const SPECS = {
  'torchwise-cuda-0': spec('torchwise-cuda-0', 'Python (torch, CUDA 0)', 'cuda:0'),
  python3: spec('python3', 'Python 3'),
  ir: spec('ir', 'R', undefined, 'R'),
  'torchwise-cpu': spec('torchwise-cpu', 'Python (torch, CPU)', 'cpu')
};

test('the CPU first, then devices, then other Python kernels, and nothing else', () => {
  expect(choicesOf(SPECS, 1).map(choice => choice.label)).toEqual(['CPU', 'CUDA 0', 'Python 3']);
});

test('a device that the machine has not got is said to be missing', () => {
  const missing = (count: number | null) =>
    choicesOf(SPECS, count)
      .filter(choice => choice.missing)
      .map(choice => choice.label);
  expect(missing(0)).toEqual(['CUDA 0']);
  expect(missing(1)).toEqual([]);
  expect(missing(null)).toEqual([]); // kernels of a gateway: it knows
});

test('one begins on the CPU, or with what the server has', () => {
  expect(firstChoice(choicesOf(SPECS, 0), 'python3')).toBe('torchwise-cpu');
  const { python3 } = SPECS;
  expect(firstChoice(choicesOf({ python3 }, 0), 'python3')).toBe('python3');
});
