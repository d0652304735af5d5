import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJson, parseYamlDocuments } from './parse.ts';
import { parseLinedYaml } from './yaml-lines.ts';

const yaml = (text: string): readonly unknown[] =>
  [...parseYamlDocuments(text.split('\n'), 10)].map((one) =>
    one.ok ? [one.line, one.value] : [one.line, one.why],
  );

describe('JSON', () => {
  test('is read up to 200 levels', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    assert.equal(parseJson(nested(200)).ok, true);
    const deep = parseJson(nested(201));
    assert.deepEqual([deep.ok, deep.line], [false, 1]);
    assert.match(deep.ok ? '' : deep.why, /deeper than 200 levels/);
    const wide = parseJson(`[${'[],{},'.repeat(300)}[]]`);
    assert.equal(wide.ok, true);
    assert.equal(parseJson('{"a":'.repeat(201) + '1' + '}'.repeat(201)).ok, false);
  });

  test('that is broken says so', () => {
    const broken = parseJson('{');
    assert.deepEqual([broken.ok, broken.line], [false, 1]);
    assert.match(broken.ok ? '' : broken.why, /not valid JSON/);
    assert.deepEqual(parseJson('{"a":1}'), { ok: true, line: 1, value: { a: 1 } });
  });
});

describe('documents of YAML', () => {
  for (const [title, text, read] of [
    [
      'are parted by dashes',
      'a: 1\n---\nb: 2\n--- # c\nd: 3',
      [
        [10, { a: 1 }],
        [12, { b: 2 }],
        [14, { d: 3 }],
      ],
    ],
    ['are none of blanks', ' \n\n---\n  \n', []],
    ['are none of comments', '# a\n---\n  # b\n---\nc: 1', [[14, { c: 1 }]]],
    ['may hold comments', '# a\nb: 1 # c', [[10, { b: 1 }]]],
    ['may hold nothing', 'null', [[10, null]]],
    [
      'may begin without dashes at a second kind',
      'kind: a\nb: 1\nkind: c',
      [
        [10, { kind: 'a', b: 1 }],
        [12, { kind: 'c' }],
      ],
    ],
    [
      'may have a kind and a version',
      'kind: a\napiVersion: b\napiVersion: c',
      [
        [10, { kind: 'a', apiVersion: 'b' }],
        [12, { apiVersion: 'c' }],
      ],
    ],
    ['may have an inner kind', 'kind: a\nb:\n  kind: c', [[10, { kind: 'a', b: { kind: 'c' } }]]],
    ['are not parted by longer dashes', 'a: |\n  x\n  ----', [[10, { a: 'x\n----\n' }]]],
    ['know no dates', 'a: 2026-11-22', [[10, { a: '2026-11-22' }]]],
  ] as const)
    test(title, () => assert.deepEqual(yaml(text), read));

  test('that are broken say why, in a line', () => {
    const [[line, why] = []] = yaml('a: [\nb') as readonly (readonly [number, string])[];
    assert.equal(line, 10);
    assert.match(
      why ?? '',
      /^A YAML document cannot be parsed \(.+\); its lines were read as text\.$/,
    );
    assert.ok(!why?.includes('\n'));
  });

  test('over 8 MB are left out', () => {
    const [[, why] = []] = yaml(`a: ${'x'.repeat(8 * 1024 * 1024)}`) as [number, string][];
    assert.match(why ?? '', /more than 8 MB/);
  });

  test('whose aliases would be endless are left out', () => {
    const level = (index: number): string =>
      `l${index}: &l${index} [${Array(10)
        .fill(`*l${index - 1}`)
        .join(', ')}]`;
    const bomb = ['l0: &l0 a', ...Array.from({ length: 7 }, (_, index) => level(index + 1))].join(
      '\n',
    );
    const [[, why] = []] = yaml(bomb) as [number, string][];
    assert.match(why ?? '', /aliases make it endless/);
    assert.equal((yaml(bomb.split('\n').slice(0, 4).join('\n'))[0] as unknown[]).length, 2);
    const [[, value] = []] = yaml('a: &a [1]\nb: [*a, *a]') as [number, unknown][];
    assert.deepEqual(value, { a: [1], b: [[1], [1]] });
  });
});

describe('items of a long list', () => {
  const list = (items: string, lines = 2000): string =>
    `kind: List\nitems:\n${items}${'# x\n'.repeat(lines)}`;

  for (const [title, text, values] of [
    ['at the margin', list('- a: 1\n  b: 2\n- c: 3\n'), [{ a: 1, b: 2 }, { c: 3 }]],
    ['indented', list('  - a: 1\n    b: 2\n  - c: 3\n'), [{ a: 1, b: 2 }, { c: 3 }]],
    ['up to the next field', list('- a: 1\nmetadata: {}\n- c: 3\n'), [{ a: 1 }, { c: 3 }]],
  ] as const)
    test(`are read one by one ${title}, with their line`, () => {
      const read = yaml(text) as readonly (readonly [number, unknown])[];
      assert.deepEqual(
        read.map(([, value]) => value),
        values,
      );
      assert.equal(read[0]?.[0], 12);
    });

  test('of a short list are one document', () => {
    assert.equal(yaml(list('- a: 1\n- c: 3\n', 10)).length, 1);
    assert.equal(yaml(`kind: List\nmy items:\n${'# x\n'.repeat(2000)}`).length, 1);
  });
});

describe('YAML with mistakes, each reported with its line', () => {
  test('has the line of every field and item', () => {
    const read = parseLinedYaml('a: 1\nb:\n  - c: 2\n  - d:\n      e: 3\nf: [x, y]\n');
    assert.ok(read.ok);
    assert.deepEqual(read.value, { a: 1, b: [{ c: 2 }, { d: { e: 3 } }], f: ['x', 'y'] });
    const lines = [
      'a',
      'b',
      'b.0.c',
      'b.1.d',
      'b.1.d.e',
      'f',
      'f.1',
      'b.1.d.e.nothing',
      'nothing',
      '',
    ];
    assert.deepEqual(
      lines.map((path) => read.lineOf(path)),
      [1, 2, 3, 4, 5, 6, 6, 5, 1, 1],
    );
  });

  test('that is broken says where and why', () => {
    const read = parseLinedYaml('a: 1\nb: [\n');
    assert.ok(!read.ok);
    assert.ok(read.line >= 2 && read.why !== '');
  });
});
