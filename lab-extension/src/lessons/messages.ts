/** What the server answers about lessons: as in docs/protocol.ts. */

export interface ISectionRow {
  anchor: string;
  title: string;
  level: number;
  read: boolean;
}

export interface ILessonRow {
  id: string;
  title: string;
  goal: string;
  minutes: number;
  needs: string[];
  sections: ISectionRow[];
  snippets: number;
  exercises: number;
  done: boolean;
}

export interface IModuleRow {
  id: string;
  title: string;
  goal: string;
  lessons: ILessonRow[];
}

export interface ILessonList {
  modules: IModuleRow[];
}

export type Role = 'text' | 'snippet' | 'cuda' | 'shadow' | 'start' | 'solution' | 'check';

export interface ICell {
  kind: 'markdown' | 'code';
  role: Role;
  source: string;
  row: number;
  anchor: string;
  name: string | null;
  exercise: string | null;
  shadows: string | null;
  raises: string | null;
  finds: string[];
}

export interface ILesson {
  lesson: ILessonRow;
  path: string;
  cells: ICell[];
}

export interface IHit {
  lesson: string;
  anchor: string;
  title: string;
  excerpt: string;
}

export interface IRulePage {
  code: string;
  name: string;
  title: string;
  severity: string;
  family: string;
  markdown: string;
  bad: string;
  good: string;
  files: Record<string, string>;
  lesson: string | null;
}

export interface INote {
  symbol: string;
  markdown: string | null;
  lesson: string | null;
}
