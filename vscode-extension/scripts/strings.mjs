// l10n/bundle.l10n.json, from which translations start: every text that the code hands to `vscode.l10n.t`.
// Usage: strings.mjs [--check]
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const target = path.join(root, "l10n", "bundle.l10n.json");
const TEXT = /l10n\.t\(\s*("(?:[^"\\]|\\.)*")/g;

const files = readdirSync(path.join(root, "src"), { recursive: true }).filter((name) => name.endsWith(".ts"));
const texts = files.flatMap((name) => [...readFileSync(path.join(root, "src", name), "utf8").matchAll(TEXT)]);
const found = [...new Set(texts.map(([, text]) => JSON.parse(text)))].sort();
const bundle = `${JSON.stringify(Object.fromEntries(found.map((text) => [text, text])), null, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(target, bundle);
else if (readFileSync(target, "utf8") !== bundle) {
  console.error("l10n/bundle.l10n.json is not what `node scripts/strings.mjs` writes");
  process.exit(1);
}
