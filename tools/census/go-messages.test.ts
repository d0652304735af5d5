import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constantsOf, goFile, messagesOf } from './go-messages.ts';
import { goFiles } from './modules.ts';
import { fixtureFolder } from './testing.ts';

function said(source: string, path = 'agent/agent.go'): readonly string[] {
  const file = goFile(path, source);
  return messagesOf(file, constantsOf([file])).map(({ level, text }) => `${level} ${text}`);
}

test('takes what warns, fails or is reported from a file, and nothing else', async () => {
  const folder = await fixtureFolder({ path: '', version: '1.0', parts: [] });
  const files = goFiles(folder, ['agent']);
  const found = files.flatMap((file) => messagesOf(file, constantsOf(files)));
  assert.deepEqual(
    found.map(({ level, text }) => `${level} ${text}`),
    [
      'warning Node %q joins for the %d. time',
      'error Failed to reach the API server',
      'error cannot read the token',
      'event JoinRefused',
      'event Join of %s is refused',
      'returned joining %s: %w',
      'condition node %s is late',
      'condition JoinedLate',
      'returned no reason',
      'reason JoinRefused',
    ],
  );
});

test('tells the line of a message', () => {
  const file = goFile('a.go', 'package a\n\n/* two\nlines */\nvar e = errors.New("gone")\n');
  assert.deepEqual(messagesOf(file, constantsOf([file])), [
    { level: 'returned', text: 'gone', file: 'a.go', line: 5 },
  ]);
});

test('reads escapes, raw strings and sums with variables', () => {
  assert.deepEqual(said('log.Errorf("a \\"b\\" \\u00e9")'), ['error a "b" é']);
  assert.deepEqual(said('log.Error(`raw \\n`)'), ['error raw \\n']);
  assert.deepEqual(said('log.Warn("pod " + name + " is late")'), ['warning pod %v is late']);
  assert.deepEqual(said('log.Error(fmt.Sprintf("no %s", what))'), ['error no %s']);
});

test('takes what is wrong with a field and not its value', () => {
  assert.deepEqual(said('field.Invalid(path, "", "the token is invalid")'), [
    'returned the token is invalid',
  ]);
});

test('takes the words of an error that is built as a value', () => {
  assert.deepEqual(said('return FormatError{"token is too large"}'), [
    'returned token is too large',
  ]);
});

test('takes every constant of a file of reasons, and elsewhere those named so', () => {
  const source = 'const (\nGone = "Gone"\nReasonLate = "Late"\n)';
  assert.deepEqual(said(source, 'pkg/events/event.go'), ['reason Gone', 'reason Late']);
  assert.deepEqual(said(source), ['reason Late']);
});

test('prefers the constant of the same folder, and takes none that is ambiguous', () => {
  const near = goFile('a/a.go', 'const Late = "LateA"\nfunc f() { r.Event(o, "Normal", Late, m) }');
  const other = goFile('b/b.go', 'const Late = "LateB"');
  const far = goFile('c/c.go', 'func f() { r.Event(o, "Normal", Late, m) }');
  const constants = constantsOf([near, other, far]);
  assert.deepEqual(
    messagesOf(near, constants).map(({ text }) => text),
    ['LateA'],
  );
  assert.deepEqual(messagesOf(far, constants), []);
});

test('survives source that ends in the middle', () => {
  assert.deepEqual(said('klog.Errorf("half'), []);
  assert.deepEqual(said('klog.Errorf("whole", (((['), ['error whole']);
});
