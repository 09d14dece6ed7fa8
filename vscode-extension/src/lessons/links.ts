/** Links of a lesson's text as links between documents: relative ones, since an editor follows those. */

const TARGETS: Record<string, (name: string) => string> = {
  lesson: (name) => `../${name.split("#")[0]}.torchwise-lesson`,
  rule: (name) => `../../rules/${name}.torchwise-rule`,
  note: (name) => `../../notes/${name}.torchwise-note`,
};

const LINK = /\]\((lesson|rule|note):([^()\s]+)\)/g;
const ANCHOR = /^\([\w-]+\)=\n?/gm; // MyST's way to name a heading

/** Of a cell of markdown. Code in it is left as it is. */
export function linked(markdown: string): string {
  return markdown
    .split(/(^```[\s\S]*?^```|`[^`\n]+`)/m)
    .map((part, index) => (index % 2 ? part : replaced(part)))
    .join("");
}

function replaced(text: string): string {
  return text
    .replace(ANCHOR, "")
    .replace(LINK, (_, kind: string, name: string) => `](${TARGETS[kind]?.(name) ?? name})`);
}
