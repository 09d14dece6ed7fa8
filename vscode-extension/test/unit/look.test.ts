import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { environmentsIn, isOlder, isPython, look, minor, obstacle, type Python } from "../../src/python/look";

const SCRIPT = path.resolve(__dirname, "..", "..", "python", "look.py");
const python = (version: string, torchwise: string | null = null): Python => ({
  command: ["python"],
  executable: "/usr/bin/python",
  version,
  torch: null,
  torchwise,
});

test("a Python says what it is", async () => {
  const found = await look(["python3"], SCRIPT);
  assert.ok(isPython(found));
  assert.match(found.version, /^3\.\d+\.\d+/);
  assert.ok(path.isAbsolute(found.executable));
});

test("a program that is not there has a reason", async () => {
  assert.deepEqual(await look(["/nowhere/python"], SCRIPT), {
    command: ["/nowhere/python"],
    why: "there is no such program",
  });
});

test("a program that is no Python has a reason", async () => {
  const found = await look([process.execPath, "-e", "process.exit(3)"], SCRIPT);
  assert.ok(!isPython(found));
  assert.notEqual(found.why, "");
});

test("the last line of what a broken Python says is its reason", async () => {
  const code = 'process.stderr.write("a\\nNo module named encodings\\n"); process.exit(1)';
  const found = await look([process.execPath, "-e", code], SCRIPT);
  assert.ok(!isPython(found));
  assert.equal(found.why, "No module named encodings");
});

test("versions are compared as numbers", () => {
  assert.equal(isOlder("3.9.1", "3.11"), true);
  assert.equal(isOlder("3.11", "3.11"), false);
  assert.equal(isOlder("4.0", "3.11"), false);
  assert.equal(minor("3.12.4"), "3.12");
});

test("the bundled server runs in the Pythons that it is bundled for", () => {
  assert.equal(obstacle(python("3.12.1"), ["3.11", "3.12"]), undefined);
  assert.match(obstacle(python("3.9.2"), ["3.11"]) ?? "", /3\.11 is needed/);
  assert.match(obstacle(python("3.15.0"), ["3.11"]) ?? "", /does not fit Python 3\.15/);
});

test("an environment with its own Torchwise needs no bundle", () => {
  assert.equal(obstacle(python("3.15.0", "0.1.0"), []), undefined);
});

test("environments of a folder are found", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "torchwise-unit-"));
  const own = path.join(folder, ".venv", "bin", "python");
  fs.mkdirSync(path.dirname(own), { recursive: true });
  fs.writeFileSync(own, "");
  assert.deepEqual(environmentsIn(folder), [own]);
  fs.rmSync(folder, { recursive: true });
});
