// Bundles the extension into dist/ (`--dev`: readable, with a source map), or with `--tests` the tests into out/.
import { readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const root = path.resolve(import.meta.dirname, "..");
const common = { absWorkingDir: root, bundle: true, platform: "node", legalComments: "none", logLevel: "warning" };

export function buildExtension({ dev = false } = {}) {
  return build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    format: "cjs",
    target: "node20",
    minify: !dev,
    sourcemap: dev,
  });
}

/** Each file of tests, and what runs inside the extension host. */
export function buildTests() {
  const files = readdirSync(path.join(root, "test"), { recursive: true }).filter((name) =>
    /\.(test|bench)\.ts$/.test(name),
  );
  return build({
    ...common,
    entryPoints: files.map((name) => path.join("test", name)),
    outdir: "out",
    outbase: "test",
    external: ["vscode", "playwright-core", "@vscode/vsce"],
    format: "cjs",
    target: "node20",
    sourcemap: "inline",
    define: { "import.meta.dirname": "__dirname" },
  });
}

if (import.meta.filename === process.argv[1]) {
  if (process.argv.includes("--tests")) await buildTests();
  else await buildExtension({ dev: process.argv.includes("--dev") });
}
