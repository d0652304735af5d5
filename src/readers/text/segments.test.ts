import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { looksLikeList, looksStructured } from './shape.ts';
import { segments } from './segments.ts';

/** `yaml 1-3`, for each passage with its lines. */
function passages(text: string): readonly string[] {
  return [...segments(text.split('\n'))].map((one) => {
    const count = { line: 1, joined: 0, json: 0, yaml: 0, table: 0, describe: 0 }[one.kind];
    const lines =
      one.kind === 'joined'
        ? one.lineEnd - one.line + 1
        : one.kind === 'table'
          ? one.rows.length + 1
          : 'lines' in one
            ? one.lines.length
            : count;
    return `${one.kind} ${one.line}${lines > 1 ? `-${one.line + lines - 1}` : ''}`;
  });
}

const kinds = (text: string): string =>
  [...segments(text.split('\n'))].map(({ kind }) => kind).join(' ');

describe('a table', () => {
  for (const header of [
    'NAME   STATUS',
    'NAMESPACE   NAME   READY',
    '  NAME   AGE',
    'LAST SEEN   TYPE',
    'LASTSEEN   TYPE',
    'FIRSTSEEN   TYPE',
    'FIRST SEEN   TYPE',
    'KIND   NAME',
  ])
    test(`begins with ${header.trim()}`, () => {
      assert.deepEqual(passages(`${header}\na   b\nc   d`), ['table 1-3']);
    });

  for (const header of ['NAME', 'NAME   Status', 'x NAME   STATUS', 'NAMES   STATUS', 'POD   NAME'])
    test(`does not begin with ${header}`, () => {
      assert.ok(!kinds(`${header}\nA   b`).includes('table'), kinds(`${header}\nA   b`));
    });

  for (const next of [
    '',
    '  ',
    '$ kubectl get pods',
    '# oc get pods',
    'sh-4.2# kubectl get pods',
    'NAME   AGE',
  ])
    test(`ends at "${next}"`, () => {
      assert.equal(passages(`NAME   STATUS\na   b\n${next}\nwords`)[0], 'table 1-2');
    });

  test('continues over rows that only look alike', () => {
    assert.deepEqual(passages('NAME   STATUS\n$a   b\n#b   c\nx $ a'), ['table 1-4']);
    assert.deepEqual(passages('NAME   STATUS'), ['table 1']);
  });
});

describe('a block of kubectl describe', () => {
  test('has fields, what is indented below them, and empty lines', () => {
    const text =
      'Name:   a\nRoles:  b\nLabels:  c\n         d\n\nNon-terminated Pods:\n  x\nTaints:';
    assert.deepEqual(passages(text), ['describe 1-8']);
  });

  for (const next of ['Name:   b', 'words', 'roles: a', `${'R'.repeat(43)}: a`, 'Ab: x', 'Role:a'])
    test(`ends at "${next.slice(0, 20)}"`, () => {
      assert.equal(passages(`Name:   a\nRoles:  b\n${next}`)[0], 'describe 1-2');
    });

  for (const text of [
    'Name:\nRoles:  b',
    'Name:   a\nroles: b',
    'x Name:   a\nRoles:  b',
    'Name:   a',
  ])
    test(`is none in ${JSON.stringify(text)}`, () => assert.ok(!kinds(text).includes('describe')));
});

describe('a passage of YAML', () => {
  for (const key of 'apiVersion kind metadata data mapRoles mapUsers discovery spec status items accessConfig nodeGroups'.split(
    ' ',
  ))
    test(`begins with ${key}:`, () => {
      assert.deepEqual(passages(`${key}: a\n  b: c`), ['yaml 1-2']);
      assert.ok(!kinds(`x${key}: a\n  b: c`).includes('yaml'));
    });

  for (const line of ['  a: b', '# a', '- a', '---', 'a.b/c-d: e', 'a:', '...', '\ta: b', '-'])
    test(`goes on with "${line}"`, () => {
      assert.deepEqual(passages(`kind: a\n${line}`), ['yaml 1-2']);
    });

  for (const line of ['words', 'a b: c', 'a:b', '$ kubectl', '--MIME', '-2026-11-22 x'.slice(1)])
    test(`ends at "${line}"`, () => {
      assert.equal(passages(`kind: a\n  b: c\n${line}`)[0], 'yaml 1-2');
    });

  test('begins with three dashes alone on their line', () => {
    assert.deepEqual(passages('---\na: b'), ['yaml 1-2']);
    assert.deepEqual(passages('---  \na: b'), ['yaml 1-2']);
    assert.ok(!kinds('--- a\nb: c').startsWith('yaml'));
  });

  test('has two lines at least, unless an answer of AWS is complete in one', () => {
    assert.equal(kinds('kind: a'), 'line');
    assert.equal(kinds('Subnets: []'), 'yaml');
  });

  test('continues below empty lines, to another object or answer', () => {
    assert.deepEqual(passages('kind: a\n\nb: c\n\n  d: e'), ['yaml 1-5']);
    assert.deepEqual(passages('kind: a\nb: c\n\napiVersion: v1\nkind: d'), [
      'yaml 1-3',
      'yaml 4-5',
    ]);
    assert.deepEqual(passages('kind: a\nb: c\napiVersion: v1\nkind: d'), ['yaml 1-4']);
    assert.deepEqual(passages('Vpcs: []\n\nSubnets:\n- Key: a'), ['yaml 1-2', 'yaml 3-4']);
    assert.deepEqual(passages('kind: a\nSubnets:\n- Key: a'), ['yaml 1-3']);
  });
});

describe('a passage of JSON', () => {
  for (const [text, read] of [
    ['{"a": 1}', ['json 1']],
    ['{}', ['json 1']],
    ['  {\n"a": 1}', ['json 1-2']],
    ['[1]', ['json 1']],
    ['[{"a": 1}]', ['json 1']],
    ['[["a"]]', ['json 1']],
    ['["a"]', ['json 1']],
    ['[]', ['json 1']],
    // What a screenshot loses: quotes.
    ['{a: 1}', ['json 1']],
    ['[\n1\n]', ['json 1-3']],
  ] as const)
    test(JSON.stringify(text), () => assert.deepEqual(passages(text), read));

  for (const text of ['[words] a', '[a]', '{ words }', 'x {"a": 1}'])
    test(`is none in ${text}`, () => assert.equal(kinds(text), 'line'));

  test('has a limit of lines', () => {
    const list = (lines: number): string => `[${'\n'.repeat(lines - 1)}]`;
    assert.equal(kinds(list(50_000)), 'json');
    assert.ok(!kinds(list(50_001)).includes('json'));
  });
});

describe('lines that a terminal has wrapped', () => {
  const joined = (text: string): readonly string[] =>
    [...segments(text.split('\n'))].flatMap((one) => (one.kind === 'joined' ? [one.text] : []));

  for (const start of [
    '<13>Nov 22 10:00:00 a',
    'Nov 22 10:00:00 a',
    '2026-11-22T10:00:00Z a',
    '2026/11/22 10:00:00 a',
    'E1122 10:00:00.1 a',
    '{"a',
    'time="a"',
    'level=a',
    '10.0.0.1 a',
    '10:00:00 a',
    'a.go:1] b',
    '"Failed to start" err=',
    '[preflight] a',
    '* 2026-11-22T10:00:00Z a',
  ]) {
    test(`"${start}" begins a record, which goes on`, () => {
      assert.deepEqual(joined(`${start}\nWords`), [`${start}Words`, `${start.trim()} Words`]);
      assert.deepEqual(joined(`Words\n${start}`), []);
    });
  }

  for (const [title, text, read] of [
    ['small letters go on with a line', 'Words\nmore', ['Wordsmore', 'Words more']],
    ['an indented line goes on', 'Words\n  More', ['Words  More', 'Words More']],
    ['quotes and commas go on', 'Words\n"more', ['Words"more', 'Words "more']],
    ['capitals do not', 'Words\nMore', []],
    ['nothing goes on with an indented line', '  words\nmore', []],
    ['nothing goes on over an empty line', 'Words\n\nmore', []],
    ['nothing goes on over a blank one', 'Words\n  \nmore', []],
    ['a command does not go on', '$ kubectl get pods\nmore', []],
    ['a command is not what goes on', 'Words\n  $ kubectl get pods', []],
    ['to the next record', '[a] b\nC\nd\n[e] f', ['[a] bCd', '[a] b C d']],
    ['to the next empty line', '[a] b\nC\n\nd', ['[a] bC', '[a] b C']],
  ] as const)
    test(title, () => assert.deepEqual(joined(text).slice(0, 2), read));

  test('are at most twelve', () => {
    const text = `[a] b\n${'C\n'.repeat(20)}`;
    assert.equal(joined(text)[0], `[a] b${'C'.repeat(11)}`);
    assert.equal(passages(text)[1], 'joined 1-12');
  });
});

describe('the beginning of a document', () => {
  for (const [head, isStructured] of [
    ['{"a": 1}', true],
    ['[\n', true],
    ['{"level":"info"}', false],
    ['  {"message" : "a"}  \nmore', false],
    ['{"level":"info",\n"a":1}', true],
    ...['msg', 'message', 'level', 'MESSAGE', '__REALTIME_TIMESTAMP', 'log'].map(
      (key) => [`{"${key}":"x"}`, false] as const,
    ),
    ['apiVersion: v1', true],
    ['# words\nkind: Node', true],
    ['x kind: Node', false],
    ['kind:Node', false],
    [`${'x\n'.repeat(1000)}kind: Node`, false],
    ['words\n  NAME   STATUS', true],
    ['NAMESPACE   NAME   READY', true],
    ['LAST SEEN   TYPE', true],
    ['x NAME   STATUS', false],
    [`${'x\n'.repeat(1000)}NAME   STATUS`, false],
    ...['Roles', 'Labels', 'Namespace', 'Annotations', 'Priority'].map(
      (key) => [`Name:   a\n${key}:   b`, true] as const,
    ),
    ['Name:   a\nWords:   b', false],
    ['x Name:   a\nRoles:   b', false],
    [`${'x\n'.repeat(1500)}Name:   a\nRoles:   b`, true],
    [`${'x\n'.repeat(2000)}Name:   a\nRoles:   b`, false],
    ['', false],
  ] as const)
    test(`${JSON.stringify(head.slice(-40))} is ${isStructured ? 'a dump' : 'none'}`, () => {
      assert.equal(looksStructured(head), isStructured);
    });

  for (const [head, isList] of [
    [' {"kind": "List", "items" : [', true],
    ['{"Reservations": [', true],
    [' [ {"a"', true],
    ['{"items": {', false],
    ['{"a": [', false],
    ['{"a": {"items": [', false],
    ['x {"items": [', false],
    ['[1', false],
    [`{"a": "${'x'.repeat(400)}", "items": [`, false],
    ['{"msg": "a", "items": [', false],
    [`{"items": [${'x'.repeat(400)}"msg": 1`, true],
  ] as const)
    test(`${JSON.stringify(head.slice(0, 40))} ${isList ? 'begins a list' : 'does not'}`, () => {
      assert.equal(looksLikeList(head), isList);
    });
});
