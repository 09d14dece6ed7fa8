// Bundles the extension into dist/ (`--dev`: readable, with a source map), or with `--tests` the tests into out/.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const root = path.resolve(import.meta.dirname, "..");
const common = { absWorkingDir: root, bundle: true, platform: "node", legalComments: "none", logLevel: "warning" };

export async function buildExtension({ dev = false } = {}) {
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    format: "cjs",
    target: "node20",
    minify: !dev,
    sourcemap: dev,
    metafile: true,
  });
  const packages = bundledPackages(Object.keys(metafile.inputs));
  writeFileSync(path.join(root, "dist", "third-party-licenses.json"), `${JSON.stringify({ packages }, null, 2)}\n`);
}

/** In the form in which JupyterLab's builder writes it. */
function bundledPackages(inputs) {
  const folders = new Set(inputs.flatMap((name) => name.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  return [...folders].sort().map((folder) => {
    const at = path.join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(path.join(at, "package.json"), "utf8"));
    const texts = readdirSync(at).filter((file) => /^(licen[cs]e|notice|thirdparty)/i.test(file));
    const extractedText = texts.map((file) => readFileSync(path.join(at, file), "utf8")).join("\n");
    return { name, versionInfo: version, licenseId: license, extractedText };
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
