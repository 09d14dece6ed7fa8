/** Hovers: what the server says in Markdown, drawn by JupyterLab's own renderer, which sanitises it. */

import { type Extension, Prec } from '@codemirror/state';
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import { type IRenderMimeRegistry, MimeModel } from '@jupyterlab/rendermime';
import type * as lsp from 'vscode-languageserver-types';
import { offsetIn } from '../positions';
import { markdownOf } from './markup';

export function hoverExtension(
  ask: (view: EditorView, offset: number) => Promise<lsp.Hover | null>,
  rendermime: IRenderMimeRegistry,
  follow: (event: Event) => void
): Extension {
  // Below a finding at the same place: what is wrong is read first.
  const hover = hoverTooltip(async (view, offset): Promise<Tooltip | null> => {
    const before = view.state.doc;
    const found = await ask(view, offset).catch(() => null);
    const markdown = found ? markdownOf(found.contents) : '';
    if (!markdown || view.state.doc !== before) {
      return null;
    }
    const renderer = rendermime.createRenderer('text/markdown');
    await renderer.renderModel(new MimeModel({ data: { 'text/markdown': markdown } }));
    renderer.node.addEventListener('click', follow, true);
    const range = found?.range;
    return {
      pos: range ? offsetIn(before, range.start) : offset,
      end: range ? offsetIn(before, range.end) : undefined,
      above: true,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'tw-Hover jp-RenderedHTMLCommon';
        dom.append(renderer.node);
        return { dom, destroy: () => renderer.dispose() };
      }
    };
  });
  return Prec.lowest(hover);
}
