import { expect, test } from 'vitest';
import { OpenFile } from '../../src/documents';
import { applyEdit, NotMade } from '../../src/edits';
import { FakeTeller, file } from './fakes';

const at = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to }
});

function opened(source: string) {
  const model = file(source);
  const open = new OpenFile(new FakeTeller(), 'file:///a.py', model);
  const find = (uri: string) => (uri === 'file:///a.py' ? open.texts[0] : undefined);
  return { model, find };
}

test('edits fit the text as it was, wherever they stand', () => {
  const { model, find } = opened('x = "𝄞"; old(1)\nold(2)');
  applyEdit(
    {
      documentChanges: [
        {
          textDocument: { uri: 'file:///a.py', version: 1 },
          edits: [
            { range: at(0, 10, 13), newText: 'brand_new' },
            { range: at(1, 0, 3), newText: 'new' }
          ]
        }
      ]
    },
    find
  );
  expect(model.getSource()).toBe('x = "𝄞"; brand_new(1)\nnew(2)');
  model.undo();
  expect(model.getSource()).toBe('x = "𝄞"; old(1)\nold(2)');
});

test('an edit of an older text is not made', () => {
  const { model, find } = opened('old');
  const textDocument = { uri: 'file:///a.py', version: 7 };
  const edit = {
    documentChanges: [{ textDocument, edits: [{ range: at(0, 0, 3), newText: 'new' }] }]
  };
  expect(() => applyEdit(edit, find)).toThrow(NotMade);
  expect(model.getSource()).toBe('old');
});

test('an edit that cannot be made whole changes nothing', () => {
  const { model, find } = opened('old');
  const edits = [{ range: at(0, 0, 3), newText: 'new' }];
  const edit = { changes: { 'file:///a.py': edits, 'file:///closed.py': edits } };
  expect(() => applyEdit(edit, find)).toThrow('closed.py is not open');
  expect(model.getSource()).toBe('old');
});
