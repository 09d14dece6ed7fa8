import assert from "node:assert/strict";
import { test } from "node:test";
import type { Display, RunResult } from "../../../docs/protocol";
import { hidden } from "../../src/client/trace";
import { told } from "../../src/run/compileTold";
import { dedented } from "../../src/run/dedented";
import { ending } from "../../src/run/ending";
import { parts } from "../../src/run/outputs";

const display = (format: Display["format"], content: string): Display => ({
  kind: "display",
  format,
  content,
  text: "plain",
  result: false,
  displayId: null,
  update: false,
});
const ended = (how: RunResult["ended"], more: Partial<RunResult> = {}): RunResult => ({
  run: "1",
  ended: how,
  seconds: 2,
  kernel: null,
  message: null,
  remedy: null,
  lost: null,
  ...more,
});

test("a part of a function runs by itself", () => {
  assert.equal(dedented("    a = 1\n    if a:\n        b = 2\n"), "a = 1\nif a:\n    b = 2\n");
  assert.equal(dedented("\ta\n\n\tb"), "a\n\nb");
  assert.equal(dedented("a\n  b"), "a\n  b");
});

test("a picture comes with its plain form", () => {
  assert.deepEqual(parts(display("png", "aGk=")), [
    { mime: "image/png", data: "aGk=", encoded: true },
    { mime: "text/plain", data: "plain" },
  ]);
});

test("markup within markdown stays text", () => {
  const [part] = parts(display("markdown", "a <script>b</script>"));
  assert.equal(part?.data, "a \\<script>b\\</script>");
});

test("a stream keeps its name", () => {
  const [part] = parts({ kind: "stream", name: "stderr", text: "oh" });
  assert.deepEqual(part, { mime: "application/vnd.code.notebook.stderr", data: "oh" });
});

test("an exception needs no second sentence, a dead kernel says what is lost", () => {
  assert.equal(ending(ended("failed")), "");
  const died = ending(
    ended("died", { message: "the kernel died: it was killed", lost: { snippets: ["a"], names: ["x", "y"] } }),
  );
  assert.match(died, /^The kernel died: it was killed\. Another one/);
  assert.match(died, /is lost: x, y/);
});

test("each way to end that is no output has a sentence", () => {
  for (const how of [
    "interrupted",
    "timed-out",
    "died",
    "disconnected",
    "stopped",
    "refused",
    "unavailable",
  ] as const) {
    assert.notEqual(ending(ended(how)), "");
  }
});

test("Dynamo's report names each break and its row", () => {
  const report = {
    entry: "f",
    inputs: ["float32[2] on cpu"],
    graphs: 2,
    operations: 1,
    breaks: [{ row: 6, path: null, reason: "print", explanation: "why", hints: ["hint"], skipped: false, via: [] }],
    guards: [],
    recompiles: [],
    error: null,
    problem: null,
  };
  const text = told(report);
  assert.match(text, /2 graphs, 1 operation\n/);
  assert.match(text, /break, row 6: print\n {2}why\n {2}- hint/);
  assert.match(told({ ...report, breaks: [] }), /no graph breaks/);
});

test("a trace holds no token, however it is written", () => {
  const params = JSON.stringify({ url: "http://host:8888", token: 'a "quoted" \\ secret', timeS: 5 }, null, 4);
  assert.equal(
    hidden(`Params: ${params}`),
    `Params: ${JSON.stringify({ url: "http://host:8888", token: "…", timeS: 5 }, null, 4)}`,
  );
  assert.equal(hidden('{"token":null}'), '{"token":null}');
});
