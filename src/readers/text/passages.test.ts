import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseYamlDocuments } from './parse.ts';
import { createItemStream, type JsonItem } from './item-stream.ts';
import { segments } from './segments.ts';
import { looksLikeList, looksStructured } from './shape.ts';

function kinds(text: string): readonly string[] {
  return [...segments(text.split('\n'))].map((segment) => segment.kind);
}

describe('segments of YAML', () => {
  test('an answer of the AWS command line in YAML is found by its member', () => {
    assert.deepEqual(kinds('update:\n  id: a\n  status: Failed'), ['yaml']);
    assert.deepEqual(kinds('Reservations:\n- Instances:\n  - InstanceId: i-0a'), ['yaml']);
    assert.deepEqual(kinds('accessEntries:\n- arn:aws:iam::111122223333:role/a'), ['yaml']);
    assert.ok(!kinds('Subnets:\n- all of them').includes('yaml'));
    assert.ok(!kinds('update:\n  I did it again').includes('yaml'));
  });

  test('the YAML of a part ends at the next boundary of MIME', () => {
    const text = '---\nkind: NodeConfig\nspec:\n  x: y\n--BOUNDARY--';
    assert.deepEqual(kinds(text), ['yaml', 'line']);
  });

  test('an answer of AWS in YAML is one passage; its name alone opens none', () => {
    const answer = 'AutoScalingGroups:\n- AutoScalingGroupName: shop\n  MaxSize: 8';
    assert.deepEqual(kinds(`$ aws x\n${answer}`), ['line', 'yaml']);
    assert.deepEqual(kinds('nodegroup:\n  status: DEGRADED'), ['yaml']);
    assert.deepEqual(kinds('AutoScalingGroups:\nnothing below'), [
      'line',
      'joined',
      'joined',
      'line',
    ]);
    assert.deepEqual(kinds('associatedAccessPolicies: []\nclusterName: shop'), ['yaml']);
    assert.deepEqual(kinds('Workers:\n- one'), ['line', 'line']);
  });
});

describe('segments', () => {
  test('log lines stay lines, and brackets alone open no JSON', () => {
    assert.deepEqual(kinds('[preflight] Running checks\n[preflight] Reading'), ['line', 'line']);
  });

  test('a table ends at an empty line', () => {
    assert.deepEqual(kinds('NAME   STATUS   AGE\na      Ready    5m\n\nother words'), [
      'table',
      'line',
    ]);
  });

  test('a table ends at the next command and at the next header', () => {
    const text =
      'NAME   STATUS   AGE\na      Ready    5m\n[root@h ~]# oc get csr\nNAME   AGE   CONDITION\ncsr-1  5m    Pending';
    assert.deepEqual(kinds(text), ['table', 'line', 'table']);
    assert.deepEqual(
      kinds(
        'NAME   STATUS   AGE\na      Ready    5m\nNAME   AGE   CONDITION\ncsr-1  5m    Pending',
      ),
      ['table', 'table'],
    );
  });

  test('pretty JSON is one passage, with lines around it', () => {
    assert.deepEqual(kinds('$ aws x\n{\n  "a": {\n    "b": 1\n  }\n}\n$ done'), [
      'line',
      'json',
      'line',
    ]);
  });

  test('JSON that never closes is read as lines', () => {
    assert.ok(kinds('{\n "a": 1,').every((kind) => kind !== 'json'));
  });

  test('YAML and describe blocks are found', () => {
    assert.deepEqual(kinds('apiVersion: v1\nkind: Node\nmetadata:\n  name: x'), ['yaml']);
    assert.deepEqual(
      kinds('Name:               x\nRoles:              <none>\nLabels:             a=b'),
      ['describe'],
    );
  });

  test('a record wrapped by a terminal is joined, with and without a blank', () => {
    const joined = [
      ...segments(['2024-01-01T00:00:00Z creating service-linked ro', 'le for EC2 Spot']),
    ].filter((segment) => segment.kind === 'joined');
    assert.deepEqual(
      joined.map((segment) => ('text' in segment ? segment.text : '')),
      [
        '2024-01-01T00:00:00Z creating service-linked role for EC2 Spot',
        '2024-01-01T00:00:00Z creating service-linked ro le for EC2 Spot',
      ],
    );
  });

  test('two records are not joined', () => {
    assert.deepEqual(kinds('I0101 00:00:00.1 1 a.go:1] x\nI0101 00:00:01.1 1 a.go:1] y'), [
      'line',
      'line',
    ]);
  });
});

describe('shape', () => {
  test('dumps are structured, logs are not', () => {
    assert.equal(looksStructured('{\n "apiVersion": "v1",'), true);
    assert.equal(looksStructured('NAME   STATUS   AGE\n'), true);
    assert.equal(
      looksStructured('{"level":"info","msg":"x"}\n{"level":"info","msg":"y"}\n'),
      false,
    );
    assert.equal(looksStructured('Jun 06 19:42:03 h kubelet[1]: x\n'), false);
  });

  test('distinguishes lists from objects and JSON logs', () => {
    assert.equal(looksLikeList('{"apiVersion":"v1","items":[{'), true);
    assert.equal(looksLikeList('{\n    "Reservations": [\n'), true);
    assert.equal(looksLikeList('{"kind":"ConfigMap","data":{'), false);
    assert.equal(looksLikeList('[{"level":"info","msg":"x"}'), false);
  });
});

describe('createItemStream', () => {
  const value = fc.dictionary(
    fc.string(),
    fc.oneof(fc.string(), fc.integer(), fc.array(fc.string())),
  );

  test('gives every element of a list, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (list, size, isBare) => {
          const text = JSON.stringify(
            isBare ? list : { apiVersion: 'v1', items: list, kind: 'List' },
            null,
            size % 3,
          );
          const items: JsonItem[] = [];
          const stream = createItemStream((item) => items.push(item));
          for (let at = 0; at < text.length; at += size) stream.push(text.slice(at, at + size));
          assert.deepEqual(
            items.map((item) => JSON.parse(item.text) as unknown),
            JSON.parse(JSON.stringify(list)),
          );
          assert.ok(items.every((item) => item.key === (isBare ? null : 'items')));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('parseYamlDocuments', () => {
  const item = (index: number): string =>
    `- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n${index}\n    labels:\n      text: |\n        - not an item\n`;
  const list = (count: number): readonly string[] =>
    `apiVersion: v1\nitems:\n${Array.from({ length: count }, (_, index) => item(index)).join('')}kind: List\n`.split(
      '\n',
    );

  test('a short list is one document, a long one is read item by item', () => {
    assert.equal([...parseYamlDocuments(list(3), 1)].length, 1);
    const items = [...parseYamlDocuments(list(400), 1)];
    assert.equal(items.length, 400);
    assert.deepEqual(items[399]?.ok === true ? items[399].value : null, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n399', labels: { text: '- not an item\n' } },
    });
  });

  test('one broken item loses only itself', () => {
    const lines = list(400).map((line) => (line === '    name: n7' ? '    name: [' : line));
    const items = [...parseYamlDocuments(lines, 1)];
    assert.deepEqual(
      items.flatMap((entry, index) => (entry.ok ? [] : [index])),
      [7],
    );
  });

  test('objects pasted one below the other are two documents', () => {
    const lines = 'apiVersion: v1\nkind: Node\n\napiVersion: v1\nkind: Pod\n'.split('\n');
    const kindsOf = [...parseYamlDocuments(lines, 1)].map((entry) =>
      entry.ok ? entry.value : null,
    );
    assert.deepEqual(kindsOf, [
      { apiVersion: 'v1', kind: 'Node' },
      { apiVersion: 'v1', kind: 'Pod' },
    ]);
  });

  test('documents of a stream are parsed one by one', () => {
    assert.deepEqual(
      [...parseYamlDocuments(['a: 1', '---', 'b: [', '---', 'c: 3'], 1)].map((entry) => entry.ok),
      [true, false, true],
    );
  });
});
