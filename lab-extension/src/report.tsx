/** What Dynamo did with a call: how many graphs, and where and why they break. */

import { ReactWidget, UseSignal } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { createElement, Fragment } from 'react';
import type { OpenText } from './documents';
import type { IHint } from './editor/hints';
import { torchwiseIcon } from './icons';
import type { Places } from './places';

export interface IBreak {
  row: number | null;
  path: string | null;
  reason: string;
  explanation: string;
  hints: string[];
  skipped: boolean;
  /** The text that it stands in, as it was run. */
  source?: string;
}

export interface ICompileReport {
  entry?: string;
  inputs?: string[];
  graphs?: number;
  operations?: number;
  breaks?: IBreak[];
  guards?: string[];
  recompiles?: { function: string; row: number | null; reasons: string[] }[];
  error?: string | null;
  impossible?: string;
  problem?: { what: string; remedy: string | null } | null;
  /** Of the file that was run. */
  source?: string;
}

export class ReportPanel extends ReactWidget {
  constructor(
    private trans: TranslationBundle,
    private places: Places
  ) {
    super();
    this.id = 'torchwise-report';
    this.addClass('tw-Report');
    this.title.icon = torchwiseIcon;
    this.title.label = trans.__('Graph breaks');
    this.title.closable = true;
  }

  tell(report: ICompileReport, from: OpenText): void {
    this.report = report;
    this.from = from;
    this.changed.emit();
  }

  /** Marks the rows in texts that are as they were run. */
  over(text: OpenText, hints: IHint[]): IHint[] {
    const lines = text.source.split('\n');
    const starts: number[] = [];
    lines.reduce((offset, line, row) => {
      starts[row] = offset + line.length;
      return offset + line.length + 1;
    }, 0);
    const marks = (this.report?.breaks ?? [])
      .filter(row => this.standsIn(row, text) && row.row !== null && row.row <= lines.length)
      .map(
        (row): IHint => ({
          offset: starts[(row.row ?? 1) - 1],
          label: this.trans.__('graph break'),
          tooltip: row.reason,
          kind: 'differs'
        })
      );
    return [...hints, ...marks];
  }

  private standsIn(row: IBreak, text: OpenText): boolean {
    const source = row.source ?? (row.path === null ? this.report?.source : undefined);
    const own = text === this.from || text.owner === this.from?.owner;
    return own && source !== undefined && source.trimEnd() === text.source.trimEnd();
  }

  protected override render() {
    return <UseSignal signal={this.changed}>{() => this.told()}</UseSignal>;
  }

  private told() {
    const { report, trans } = this;
    if (!report) {
      return <p>{trans.__('Nothing was checked yet.')}</p>;
    }
    const wrong = report.impossible ?? report.problem?.what ?? report.error;
    return (
      <div className="tw-Report-page">
        {report.graphs !== undefined && !report.problem && (
          <h3>
            {trans.__(
              '%1: %2, %3, with %4',
              report.entry ?? '',
              trans._n('%1 graph', '%1 graphs', report.graphs),
              trans._n('%1 break', '%1 breaks', report.breaks?.length ?? 0),
              report.inputs?.join(', ') || trans.__('no arguments')
            )}
          </h3>
        )}
        {wrong && (
          <p role="alert" className="tw-Report-wrong">
            {wrong} {report.problem?.remedy}
          </p>
        )}
        <ol>{report.breaks?.map((row, index) => this.row(row, index))}</ol>
      </div>
    );
  }

  private row(row: IBreak, index: number) {
    const { from, trans } = this;
    const text = from?.owner.texts.find(text => this.standsIn(row, text));
    const line = (row.row ?? 1) - 1;
    const range = { start: { line, character: 0 }, end: { line, character: 0 } };
    return (
      <li key={index}>
        {text ? (
          <button
            type="button"
            className="tw-Link"
            onClick={() => void this.places.open({ uri: text.uri, range })}
          >
            {this.places.name({ uri: text.uri, range }, text)}
          </button>
        ) : (
          <span>{row.path ? `${row.path}: ${row.row}` : trans.__('line %1', row.row ?? '?')}</span>
        )}{' '}
        <strong>{row.reason}</strong> {coded(row.explanation)}
        {row.hints.length > 0 && (
          <ul>
            {row.hints.map(hint => (
              <li key={hint}>{coded(hint)}</li>
            ))}
          </ul>
        )}
      </li>
    );
  }

  private report: ICompileReport | null = null;
  private from: OpenText | null = null;
  private changed = new Signal<this, void>(this);
}

/** Text with `code` between backticks. */
function coded(text: string) {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 ? createElement('code', null, part) : part));
  return createElement(Fragment, null, ...parts);
}
