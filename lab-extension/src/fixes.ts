/** Quick fixes: at a finding, at the cursor by keyboard, and all safe ones at once. */

import { Notification } from '@jupyterlab/apputils';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';
import type { CodeAction, Diagnostic, Position } from 'vscode-languageserver-types';
import type { Client } from './client';
import { OpenNotebook, type OpenText } from './documents';
import { NotMade } from './edits';
import { sameRange, touches, whole } from './positions';

const QUICK_FIX = 'quickfix';
const FIX_ALL = 'source.fixAll.torchwise';

export class Fixes {
  constructor(
    private client: Client,
    private trans: TranslationBundle
  ) {}

  /** Those of one finding; the safe one first. */
  async of(text: OpenText, row: Diagnostic): Promise<CodeAction[]> {
    const found = await this.client.codeActions(text, row.range, QUICK_FIX);
    return preferredFirst(found).filter(action =>
      action.diagnostics?.some(d => d.code === row.code && sameRange(d.range, row.range))
    );
  }

  /** Opens a menu beside the cursor; Enter takes the first. */
  async choose(text: OpenText, editor: CodeEditor.IEditor): Promise<void> {
    const cursor = editor.getCursorPosition();
    const at: Position = { line: cursor.line, character: cursor.column };
    const found = await this.client.codeActions(text, await this.reach(text, at), QUICK_FIX);
    if (!found.length) {
      Notification.info(this.trans.__('There is nothing to fix here'), {
        autoClose: 2000
      });
      return;
    }
    const commands = new CommandRegistry();
    const menu = new Menu({ commands });
    preferredFirst(found).forEach((action, index) => {
      const id = `torchwise:fix-${index}`;
      commands.addCommand(id, {
        label: action.title.replace(/`/g, ''),
        execute: () => this.apply(action)
      });
      menu.addItem({ command: id });
    });
    const corner = editor.getCoordinateForPosition(cursor);
    menu.addClass('tw-FixMenu');
    menu.open(corner?.left ?? 0, corner?.bottom ?? 0);
    menu.activeIndex = 0;
  }

  /** The finding at the cursor, or the cursor's line where there is none. */
  private async reach(text: OpenText, at: Position) {
    const row = text.diagnostics.find(row => touches(row.range, at));
    const line = text.source.split('\n')[at.line] ?? '';
    return (
      row?.range ?? {
        start: { line: at.line, character: 0 },
        end: { line: at.line, character: line.length }
      }
    );
  }

  async all(text: OpenText): Promise<void> {
    const kind = text.owner instanceof OpenNotebook ? `notebook.${FIX_ALL}` : FIX_ALL;
    const [action] = await this.client.codeActions(text, whole(text.source), kind);
    if (action) {
      this.apply(action);
    } else {
      Notification.info(this.trans.__('There is nothing that can be fixed safely'), {
        autoClose: 3000
      });
    }
  }

  apply(action: CodeAction): void {
    try {
      this.client.apply(action);
    } catch (error) {
      if (!(error instanceof NotMade)) {
        throw error;
      }
      Notification.warning(this.trans.__('Not fixed: %1', error.message), {
        autoClose: 4000
      });
    }
  }
}

function preferredFirst(actions: CodeAction[]): CodeAction[] {
  return [...actions].sort((a, b) => Number(!!b.isPreferred) - Number(!!a.isPreferred));
}
