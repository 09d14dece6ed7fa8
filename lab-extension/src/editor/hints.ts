/** Hints: shapes drawn behind the names that they belong to. They are no part of the text. */

import { type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

export interface IHint {
  /** Into the text. */
  offset: number;
  label: string;
  tooltip: string;
  /** `observed`: a kernel holds it; `differs`: and it is not what was inferred. */
  kind: 'inferred' | 'observed' | 'differs';
}

const replaceHints = StateEffect.define<IHint[]>();

class HintWidget extends WidgetType {
  constructor(private hint: IHint) {
    super();
  }

  override eq(other: HintWidget): boolean {
    const { label, tooltip, kind } = other.hint;
    return label === this.hint.label && tooltip === this.hint.tooltip && kind === this.hint.kind;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = `tw-Hint tw-mod-${this.hint.kind}`;
    node.textContent = this.hint.label;
    node.title = this.hint.tooltip;
    return node;
  }
}

const shown = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(hints, transaction) {
    let now = hints.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(replaceHints)) {
        now = decorations(effect.value, transaction.state.doc.length);
      }
    }
    return now;
  },
  provide: field => EditorView.decorations.from(field)
});

function decorations(hints: IHint[], length: number): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const hint of [...hints].sort((a, b) => a.offset - b.offset)) {
    const at = Math.min(hint.offset, length);
    builder.add(at, at, Decoration.widget({ widget: new HintWidget(hint), side: 1 }));
  }
  return builder.finish();
}

export function hintsExtension(): Extension {
  return shown;
}

export function showHints(view: EditorView, hints: IHint[]): void {
  view.dispatch({ effects: replaceHints.of(hints) });
}
