/** Devices to run on: kernelspecs, those of ours first. What a gateway has is listed as JupyterLab knows it. */

import type { KernelSpec } from '@jupyterlab/services';

export interface IChoice {
  /** Of the kernelspec. */
  name: string;
  label: string;
  /** `cpu` or `cuda:0`; null for a kernel that sees whatever there is. */
  device: string | null;
  /** Why it cannot be chosen. */
  missing: boolean;
}

type Specs = KernelSpec.ISpecModels['kernelspecs'];

/** `cudaDevices`: how many the server's machine has; null where kernels run elsewhere. */
export function choicesOf(specs: Specs, cudaDevices: number | null): IChoice[] {
  const choices: IChoice[] = [];
  for (const spec of Object.values(specs)) {
    if (spec?.language === 'python') {
      const own = (spec.metadata as { torchwise?: { device?: string } } | undefined)?.torchwise;
      const device = own?.device ?? null;
      choices.push({
        name: spec.name,
        label: device ? deviceName(device) : spec.display_name,
        device,
        missing: cudaDevices !== null && numberOf(device) >= cudaDevices
      });
    }
  }
  return choices.sort((a, b) => rank(a) - rank(b) || a.label.localeCompare(b.label));
}

export function deviceName(device: string): string {
  return device === 'cpu' ? 'CPU' : device.toUpperCase().replace(':', ' ');
}

/** Of a CUDA device; -1 for what is none. */
function numberOf(device: string | null): number {
  return device?.startsWith('cuda:') ? Number(device.slice(5)) : -1;
}

function rank(choice: IChoice): number {
  return choice.device === null ? 2 : choice.device === 'cpu' ? 0 : 1;
}

/** The one to begin with: the CPU that everyone has, or what the server starts by itself. */
export function firstChoice(choices: IChoice[], usual: string): string {
  const cpu = choices.find(choice => choice.device === 'cpu');
  return (cpu ?? choices.find(choice => choice.name === usual) ?? choices[0])?.name ?? usual;
}
