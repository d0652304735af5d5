import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  allOf,
  anyOf,
  each,
  fillObjects,
  hasItem,
  isEqualTo,
  isOn,
  joined,
  NAMESPACE,
  piece,
  type Template,
  text,
  value,
  when,
} from '../../src/manifests/template.ts';
import { documentsOf } from '../../tools/generate/chart-yaml.ts';

const VALUES = {
  on: true,
  off: false,
  none: [],
  zero: 0,
  word: 'w',
  list: ['a', 'b'],
  map: { x: 1 },
};

function filled(template: Template): unknown {
  return fillObjects([{ it: [template] }], { namespace: 'ns', values: VALUES })[0]?.['it'];
}

describe('a template', () => {
  test('is filled with values, texts and lists', () => {
    assert.deepEqual(filled(NAMESPACE), ['ns']);
    assert.deepEqual(filled(value('map')), [{ x: 1 }]);
    assert.deepEqual(filled(text('--a=', joined('list'), ';', piece('word'))), ['--a=a,b;w']);
    assert.deepEqual(filled(each('list', '--l=')), ['--l=a', '--l=b']);
    assert.deepEqual(filled(each('none', '--l=')), []);
  });

  test('leaves out what its condition does not hold for, as Helm asks it', () => {
    const conditions = [
      isOn('off'),
      isOn('none'),
      isOn('zero'),
      hasItem('list', 'c'),
      isEqualTo('word', 'x'),
      allOf(isOn('on'), isOn('off')),
      anyOf(isOn('off'), isOn('zero')),
    ];
    for (const condition of conditions) assert.deepEqual(filled(when(condition, 'x')), []);
    const holding = [
      isOn('on'),
      isOn('map'),
      hasItem('list', 'b'),
      isEqualTo('word', 'w'),
      anyOf(isOn('off'), isOn('on')),
    ];
    for (const condition of holding) assert.deepEqual(filled(when(condition, 'x')), ['x']);
    const both = fillObjects([when(isOn('off'), { a: 1 }), { b: when(isOn('off'), 1), c: 2 }], {
      namespace: 'ns',
      values: VALUES,
    });
    assert.deepEqual(both, [{ c: 2 }]);
  });

  test('names the value that is missing', () => {
    assert.throws(() => filled(value('gate.replicas')), /the values have no gate\.replicas/);
  });

  test('is written for Helm with everything quoted, and neighbors under one condition', () => {
    const lines = documentsOf([
      { kind: 'A', args: [when(isOn('gate.on'), '--x'), when(isOn('gate.on'), '--y'), '--z'] },
      when(isOn('gate.on'), { kind: 'B', of: text('100 % "', piece('word'), '"') }),
    ]);
    assert.deepEqual(lines, [
      '---',
      'kind: A',
      'args:',
      '  {{- if .Values.gate.on }}',
      '  - --x',
      '  - --y',
      '  {{- end }}',
      '  - --z',
      '{{- if .Values.gate.on }}',
      '---',
      'kind: B',
      'of: {{ printf "100 %% \\"%s\\"" (toString .Values.word) | toJson }}',
      '{{- end }}',
    ]);
  });
});

test('a template that Helm would read otherwise is refused', () => {
  assert.throws(() => documentsOf([{ kind: '{{ .Values }}' }]), /Helm would read this/);
  const nested = when(isOn('a'), when(isOn('b'), 'x'));
  assert.throws(() => documentsOf([{ a: [nested] }]), /a condition within a condition/);
  assert.throws(() => documentsOf([{ a: [{ b: when(isOn('b'), 'x') }] }]), /must always be there/);
});
