/** What our plugins share: the language server, what is drawn in editors, and where things are. */

import type { TranslationBundle } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import type { Client } from './client';
import type { Editors } from './editors';
import type { Fixes } from './fixes';
import type { Places } from './places';
import type { IInfo } from './server';

export interface ITorchwise {
  client: Client;
  editors: Editors;
  places: Places;
  fixes: Fixes;
  trans: TranslationBundle;
  /** What the server's machine has. */
  info: Promise<IInfo>;
  /** A script that is sent into a kernel, by its name. */
  script(name: string): Promise<string>;
}

export const ITorchwise = new Token<ITorchwise>(
  '@torchwise/lab:ITorchwise',
  'The language server of Torchwise, and what is drawn in editors'
);

export const COMMANDS = {
  quickFix: 'torchwise:quick-fix',
  fixAll: 'torchwise:fix-all',
  nextProblem: 'torchwise:next-problem',
  previousProblem: 'torchwise:previous-problem',
  openProblems: 'torchwise:open-problems',
  openLessons: 'torchwise:open-lessons',
  openLesson: 'torchwise:open-lesson',
  openRule: 'torchwise:open-rule',
  lessonForFinding: 'torchwise:lesson-for-finding',
  realShapes: 'torchwise:show-real-shapes',
  graphBreaks: 'torchwise:check-graph-breaks',
  chooseDevice: 'torchwise:choose-device',
  status: 'torchwise:status'
} as const;

export const CATEGORY = 'PyTorch';
