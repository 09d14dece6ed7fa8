/** What a hover says, as Markdown, in every form that LSP has for it. */

import type { Hover } from 'vscode-languageserver-types';

export function markdownOf(contents: Hover['contents']): string {
  if (typeof contents === 'string') {
    return contents;
  }
  if (Array.isArray(contents)) {
    return contents.map(markdownOf).join('\n\n');
  }
  if ('kind' in contents && contents.kind === 'markdown') {
    return contents.value;
  }
  const language = 'language' in contents ? contents.language : '';
  return `\`\`\`${language}\n${contents.value}\n\`\`\``;
}
