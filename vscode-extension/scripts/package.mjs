// Makes torchwise-TARGET.vsix: code bundled by vsce's prepublish step, the server by bundle.py.
// Usage: npm run package -- [--target linux-x64] [--pythons 3.11,3.12] [--out FILE] [--bundled: as it lies there]
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { createVSIX } from "@vscode/vsce";
import { buildExtension } from "./build.mjs";

const root = path.resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    target: { type: "string" },
    pythons: { type: "string" },
    out: { type: "string" },
    bundled: { type: "boolean" },
  },
});

const own = path.join(root, "..", ".venv", "bin", "python");
const python = process.env.PYTHON ?? (existsSync(own) ? own : "python3");
const options = ["target", "pythons"].flatMap((name) => (values[name] ? [`--${name}`, values[name]] : []));
if (!values.bundled) execFileSync(python, [path.join(root, "scripts", "bundle.py"), ...options], { stdio: "inherit" });
await buildExtension();
const { target } = JSON.parse(readFileSync(path.join(root, "bundled", "bundle.json"), "utf8"));
const packagePath = values.out ?? path.join(root, `torchwise-${target}.vsix`);
await createVSIX({ cwd: root, target, packagePath, dependencies: false, allowPackageAllSecrets: true });
