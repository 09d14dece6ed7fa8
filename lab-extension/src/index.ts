/** Torchwise in JupyterLab and Notebook: one plugin for each thing that can be left out. */

import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { checker } from './plugins/checker';
import { devices } from './plugins/devices';
import { lessons } from './plugins/lessons';
import { problems } from './plugins/problems';
import { real } from './plugins/real';
import { status } from './plugins/status';

export { ITorchwise } from './torchwise';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  checker,
  problems,
  status,
  devices,
  real,
  lessons
];

export default plugins;
