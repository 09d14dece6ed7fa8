/** The problems panel: all findings of the notebook or file in view, or of the workspace. */

import { ReactWidget, UseSignal } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import type { Diagnostic, Location } from 'vscode-languageserver-types';
import type { Client } from './client';
import { messageOf, nameOf, severityOf } from './editor/diagnostics';
import { torchwiseIcon } from './icons';
import type { Places } from './places';
import { compare } from './positions';

export interface IProblem {
  location: Location;
  row: Diagnostic;
  cell: number;
}

export interface IGroup {
  path: string;
  problems: IProblem[];
}

/** By file, and in the order of their places; `only` limits them to one path. */
export function problemsOf(client: Client, places: Places, only: string | null): IGroup[] {
  const groups = new Map<string, IProblem[]>();
  const note = (uri: string, cell: number, rows: Diagnostic[]) => {
    const path = places.pathOf(uri) ?? uri;
    if (rows.length && (only === null || only === path)) {
      const known = groups.get(path) ?? [];
      groups.set(path, known);
      known.push(
        ...rows.map(row => ({
          location: { uri, range: row.range },
          row,
          cell
        }))
      );
    }
  };
  for (const text of client.texts) {
    note(text.uri, text.cell, text.diagnostics);
  }
  for (const [uri, rows] of client.elsewhere) {
    note(uri, 0, rows);
  }
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([path, problems]) => ({ path, problems: problems.sort(inOrder) }));
}

function inOrder(a: IProblem, b: IProblem): number {
  return a.cell - b.cell || compare(a.row.range.start, b.row.range.start);
}

export interface IProblemActions {
  open(location: Location): void;
  openRule(name: string): void;
  fixAll(): void;
  /** The file or notebook in view. */
  current(): string | null;
}

export class ProblemsPanel extends ReactWidget {
  constructor(
    private client: Client,
    private places: Places,
    private trans: TranslationBundle,
    private actions: IProblemActions
  ) {
    super();
    this.id = 'torchwise-problems';
    this.addClass('tw-Problems');
    this.title.icon = torchwiseIcon;
    this.title.label = trans.__('PyTorch problems');
    this.title.caption = trans.__('What Torchwise found in notebooks and files');
    this.title.closable = true;
    for (const signal of [client.found, client.foundElsewhere, client.stateChanged]) {
      (signal as typeof client.foundElsewhere).connect(() => this.soon());
    }
  }

  /** Something else is in view. */
  refresh(): void {
    this.soon();
  }

  /** One message about a large notebook comes for each of its cells. */
  private soon(): void {
    window.cancelAnimationFrame(this.frame);
    this.frame = window.requestAnimationFrame(() => this.changed.emit());
  }

  protected override render() {
    return <UseSignal signal={this.changed}>{() => this.list()}</UseSignal>;
  }

  private list() {
    const current = this.actions.current();
    const groups = problemsOf(this.client, this.places, this.everywhere ? null : (current ?? ''));
    const count = groups.reduce((sum, group) => sum + group.problems.length, 0);
    return (
      <>
        {this.bar(current, count)}
        <ul className="tw-Problems-list" aria-label={this.trans.__('Problems')}>
          {groups.map(group => (
            <li key={group.path}>
              <div className="tw-Problems-file">{group.path}</div>
              <ul>{group.problems.map((problem, index) => this.row(problem, index))}</ul>
            </li>
          ))}
        </ul>
      </>
    );
  }

  private bar(current: string | null, count: number) {
    const { trans } = this;
    return (
      <div className="tw-Problems-bar" role="toolbar" aria-label={trans.__('Problems')}>
        <select
          aria-label={trans.__('Which problems are listed')}
          value={this.everywhere ? 'all' : 'here'}
          onChange={event => {
            this.everywhere = event.target.value === 'all';
            this.changed.emit();
          }}
        >
          <option value="here">{current ?? trans.__('Nothing in view')}</option>
          <option value="all">{trans.__('Whole workspace')}</option>
        </select>
        <span role="status" className="tw-Problems-count">
          {this.client.state === 'ready'
            ? trans._n('%1 problem', '%1 problems', count)
            : trans.__('The checker is starting…')}
        </span>
        <button
          type="button"
          className="jp-mod-styled tw-Problems-fixAll"
          disabled={!count || this.everywhere}
          onClick={() => this.actions.fixAll()}
        >
          {trans.__('Fix all')}
        </button>
      </div>
    );
  }

  private row({ location, row, cell }: IProblem, index: number) {
    const severity = severityOf(row);
    const line = location.range.start.line + 1;
    return (
      <li key={index} className={`tw-Problem tw-mod-${severity}`}>
        <button
          type="button"
          className="tw-Problem-place"
          onClick={() => this.actions.open(location)}
        >
          <span className="tw-Problem-severity" role="img" aria-label={severity} />
          <span className="tw-Problem-message">{messageOf(row).replace(/`/g, '')}</span>
          <span className="tw-Problem-at">
            {cell ? this.trans.__('cell %1, line %2', cell, line) : this.trans.__('line %1', line)}
          </span>
        </button>
        <button
          type="button"
          className="tw-Link"
          title={this.trans.__('Open the page of this rule')}
          onClick={() => this.actions.openRule(nameOf(row))}
        >
          {`${row.code} ${nameOf(row)}`}
        </button>
      </li>
    );
  }

  private everywhere = false;
  private frame = 0;
  private changed = new Signal<this, void>(this);
}
