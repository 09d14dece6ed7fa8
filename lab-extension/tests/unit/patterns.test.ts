/** No pattern of the two extensions takes a time that grows faster than its text. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(__dirname, '../../..');
const FOLDERS = ['lab-extension/src', 'vscode-extension/src', 'vscode-extension/media'];
const SIZES = [12, 20, 30, 60, 480, 7680]; // characters
const NOTHING_MS = 4; // a time in which nothing grows to speak of
const POWER = 1.5; // of the length: a time grows with the first, or with the second and more
const MOST_CHARACTERS = 7;

interface IFound {
  where: string;
  pattern: RegExp;
}

function* patterns(): Generator<IFound> {
  for (const folder of FOLDERS) {
    for (const name of readdirSync(path.join(ROOT, folder), { recursive: true }) as string[]) {
      if (/\.(tsx?|m?js)$/.test(name)) {
        const file = path.join(ROOT, folder, name);
        const source = ts.createSourceFile(
          name,
          readFileSync(file, 'utf8'),
          ts.ScriptTarget.Latest,
          true
        );
        yield* within(source, source, `${folder}/${name}`);
      }
    }
  }
}

function* within(node: ts.Node, source: ts.SourceFile, file: string): Generator<IFound> {
  if (ts.isRegularExpressionLiteral(node)) {
    const [, text, flags] = /^\/(.*)\/(\w*)$/.exec(node.text) as RegExpExecArray;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    yield { where: `${file}:${line + 1}`, pattern: new RegExp(text, flags) };
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') {
    throw new Error(`${file} makes a pattern of a text, which is not probed`);
  }
  for (const child of node.getChildren(source)) {
    yield* within(child, source, file);
  }
}

/** Words of up to three of the characters that a pattern speaks of. */
function bodies(pattern: RegExp): string[] {
  const literal = pattern.source.replace(/\\[a-zA-Z]/g, '').replace(/[\^$*+?(){}|\\]/g, '');
  const known = [...new Set(['a', ' ', '0', ...literal])].slice(0, MOST_CHARACTERS);
  const characters = [...known, '\n', '('];
  const two = characters.flatMap(first => characters.map(second => first + second));
  const three = two.flatMap(start => characters.map(last => start + last));
  return [...characters, ...two, ...three];
}

function tookMs(pattern: RegExp, text: string): number {
  const start = performance.now();
  if (pattern.global) {
    text.replace(pattern, '');
  } else {
    pattern.exec(text);
  }
  return performance.now() - start;
}

function least(pattern: RegExp, text: string): number {
  return Math.min(...[1, 2, 3].map(() => tookMs(pattern, text)));
}

/** The word that makes it slow when it is repeated. The shortest is first: its time may double with each character. */
function slowOn(pattern: RegExp): string | undefined {
  return bodies(pattern).find(body =>
    ['', '\u0000', '\n!'].some(last =>
      SIZES.some((size, index) => {
        const text = (length: number) => body.repeat(length / body.length) + last;
        if (index === 0 || tookMs(pattern, text(size)) < NOTHING_MS) {
          return false;
        }
        const shorter = SIZES[index - 1];
        const times = [least(pattern, text(shorter)), least(pattern, text(size))];
        return times[1] > NOTHING_MS && times[1] > times[0] * (size / shorter) ** POWER;
      })
    )
  );
}

const FOUND = [...patterns()];

describe('patterns', () => {
  it('are found in both extensions', () => {
    expect(FOUND.length).toBeGreaterThan(25);
    expect(new Set(FOUND.map(({ where }) => where.split('/')[0])).size).toBe(2);
  });

  it.each([/\s*$/, /(\w+)\s*:=/g, /\[([^\]]+)\]\(/g, /^(a|aa)*c/, /\/+$/])(
    '%s would be noticed',
    pattern => {
      expect(slowOn(pattern)).toBeDefined();
    }
  );

  it.each(FOUND)('$where takes a time that grows with its text', ({ pattern }) => {
    expect(slowOn(pattern)).toBeUndefined();
  });
});
