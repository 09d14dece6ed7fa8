import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellShown, LessonShown } from "../../../docs/protocol";
import { keptOf } from "../../src/lessons/edition";
import { linked } from "../../src/lessons/links";

const cell = (more: Partial<CellShown>): CellShown => ({
  kind: "code",
  role: "snippet",
  source: "",
  row: 1,
  anchor: "strides",
  name: null,
  exercise: null,
  shadows: null,
  raises: null,
  finds: [],
  ...more,
});

const shown = (cells: CellShown[]): LessonShown => ({
  path: "views.md",
  cells,
  lesson: {
    id: "02-tensors/views",
    title: "Views",
    goal: "You see it.",
    minutes: 30,
    needs: ["02-tensors/making"],
    sections: [],
    snippets: 1,
    exercises: 1,
    done: false,
  },
});

test("links of a lesson lead to documents beside it", () => {
  assert.equal(linked("[a](rule:view-x)"), "[a](../../rules/view-x.torchwise-rule)");
  assert.equal(linked("[a](lesson:02-tensors/views#b)"), "[a](../02-tensors/views.torchwise-lesson)");
  assert.equal(linked("[a](note:torch.mm) [b](https://c)"), "[a](../../notes/torch.mm.torchwise-note) [b](https://c)");
});

test("code in markdown is left as it is", () => {
  assert.equal(
    linked("`[a](rule:b)`\n```\n(here)=\n[a](rule:b)\n```"),
    "`[a](rule:b)`\n```\n(here)=\n[a](rule:b)\n```",
  );
});

test("names of anchors are not shown", () => {
  assert.equal(linked("(strides)=\n## Strides"), "## Strides");
});

test("a lesson says below its heading what it is for", () => {
  const kept = keptOf(
    shown([cell({ kind: "markdown", role: "text", source: "# Views\n\nText" })]),
    new Map([["02-tensors/making", "Making"]]),
  );
  assert.match(
    kept.cells[0]?.source ?? "",
    /^# Views\n\n\*You see it\. 30 min\.\* \*Read before:\* \[Making\]\(\.\.\//,
  );
});

test("the check and the solution of an exercise are kept with its start, and not shown", () => {
  const kept = keptOf(
    shown([
      cell({ role: "start", exercise: "find", source: "x = 1" }),
      cell({ role: "solution", exercise: "find", source: "x = 2" }),
      cell({ role: "check", exercise: "find", source: "assert x == 2" }),
    ]),
  );
  assert.equal(kept.cells.length, 1);
  assert.deepEqual(kept.cells[0]?.note, {
    role: "start",
    anchor: "strides",
    program: "find",
    start: "x = 1",
    check: "assert x == 2",
    solution: "x = 2",
  });
});

test("another text is another edition", () => {
  assert.notEqual(keptOf(shown([cell({ source: "a" })])).edition, keptOf(shown([cell({ source: "b" })])).edition);
});
