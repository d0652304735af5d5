import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ANSWER_START,
  DESCRIBE_FIELD,
  DESCRIBE_START,
  JSON_START,
  RECORD_START,
  TABLE_HEADER,
  YAML_START,
} from './starts.ts';

function begin(start: RegExp, those: readonly string[], others: readonly string[]): void {
  for (const line of those) assert.ok(start.test(line), line);
  for (const line of others) assert.ok(!start.test(line), line);
}

test('a table begins with the names of its columns', () => {
  const those = ['NAME   STATUS', ' NAMESPACE  NAME  READY', 'LAST SEEN   TYPE', 'KIND  NAME'];
  begin(TABLE_HEADER, those, ['NAMES  STATUS', 'x NAME  STATUS', 'NAME  x', 'NAME   S']);
  assert.equal(TABLE_HEADER.exec('NAME   CREATED AT-X y')?.[0], 'NAME   CREATED AT-X ');
});

test('YAML begins with a document or with a key of Kubernetes', () => {
  begin(
    YAML_START,
    ['---', '--- ', 'kind: Node', 'mapRoles: |'],
    ['--- a', ' kind: Node', 'kinds:'],
  );
});

test('a description begins with a name, and has fields on the left', () => {
  begin(DESCRIBE_START, ['Name:   a', 'Name: a'], ['Name:', 'Name:   ', ' Name: a', 'Names: a']);
  const fields = ['Roles:   <none>', 'Allocated (x):', `A${'b'.repeat(40)}: c`];
  const others = [
    ' Roles: a',
    'x Roles: a',
    'Ab: c',
    `A${'b'.repeat(41)}: c`,
    'Roles:a',
    'roles: a',
  ];
  begin(DESCRIBE_FIELD, fields, others);
});

test('a record of a log begins with a stamp, a severity, a field or a tag', () => {
  const those = [
    '<6>kernel: x',
    '[ 12.345678] x',
    '[12345.678901] x',
    'Jan  2 03:04:05 node-a kubelet: x',
    'Jan 12 03:04:05 x',
    '2026-01-02T03:04:05Z x',
    '2026/01/02 03:04:05 x',
    'E0102 03:04:05.000001 1 x.go:1] y',
    '{"level":"info"}',
    'time="x"',
    'level=info',
    '10.0.0.1 - - x',
    '03:04:05 x',
    'main.go:42] x',
    '"Starting kubelet" version="x"',
    'Starting the agent" version=1',
    '[preflight] Running',
    '[wait-control-plane] x',
    '  > "03:04:05 x',
  ];
  const others = [
    'x <6>kernel',
    '<six>',
    '[ 12x345] y',
    '[12.] x',
    'January 2 03:04:05',
    'Jan 123 03:04:05',
    '2026-1-2T03',
    '20260-01-02T',
    '2026-01-02x',
    'E010 03:',
    'X0102 03:',
    '10.0.0 x',
    '3:04:05 x',
    'main.go] x',
    '"Start" version=1',
    'starting kubelet" version=1',
    '[preflight]Running',
    '[-x] y',
    '',
  ];
  begin(RECORD_START, those, others);
});

test('JSON begins with a bracket that a log does not write', () => {
  const those = ['{', ' { ', '{"a":1}', '{ "a": 1', '{}', '{ }', '{a:1}', '{a.b/c-d: 1'];
  const lists = ['[', ' [ ', '[{', '[[', '[]', '["a"', '[1', '[ 1'];
  begin(
    JSON_START,
    [...those, ...lists],
    ['x {"a":1}', '{a b', '{.a: 1', '[preflight] Running', '[x', `{a${'b'.repeat(61)}:`, 'x [1]'],
  );
});

test('an answer that did not come begins with the words of its client', () => {
  begin(
    ANSWER_START,
    [
      'Error from server (Forbidden): x',
      'error: x',
      'Error: x',
      'An error occurred (AccessDenied)',
      'No resources found',
      'The connection to the server x was refused',
      'Unable to connect to the server',
    ],
    ['x Error from server', 'x error: y', 'Terror: x', 'errors: x', 'error x'],
  );
});
