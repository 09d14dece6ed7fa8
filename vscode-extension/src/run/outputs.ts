/** Outputs as parts with a MIME type, in the richest form that is safe and with the plain one beside it. */
import type { Display, Output } from "../../../docs/protocol";

export interface Part {
  mime: string;
  data: string;
  /** `data` is base64 */
  encoded?: boolean;
}

const PICTURES: Partial<Record<Display["format"], string>> = { png: "image/png", jpeg: "image/jpeg" };
const TEXTS: Partial<Record<Display["format"], string>> = {
  svg: "image/svg+xml",
  html: "text/html",
  latex: "text/latex",
  markdown: "text/markdown",
};

/** Empty for what shows nothing by itself. */
export function parts(output: Output): Part[] {
  switch (output.kind) {
    case "stream":
      return [{ mime: `application/vnd.code.notebook.${output.name}`, data: output.text }];
    case "display":
      return displayed(output);
    case "error": {
      const error = { name: output.name, message: output.message, stack: output.text };
      return [{ mime: "application/vnd.code.notebook.error", data: JSON.stringify(error) }];
    }
    case "notice":
      return [{ mime: "application/vnd.code.notebook.stderr", data: `${output.text}\n` }];
    case "clear":
      return [];
  }
}

function displayed(display: Display): Part[] {
  const plain: Part = { mime: "text/plain", data: display.text };
  const picture = PICTURES[display.format];
  if (picture) return [{ mime: picture, data: display.content, encoded: true }, plain];
  const text = TEXTS[display.format];
  if (!text) return [{ ...plain, data: display.text || display.content }];
  // HTML within markdown is not clean.
  const data = display.format === "markdown" ? display.content.replaceAll("<", "\\<") : display.content;
  return [{ mime: text, data }, plain];
}
