import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clausesOf, wantedOf } from './accept.ts';

test('of an Accept the clause of the greatest quality is served, of equal ones the first', () => {
  const types = (accept?: string): readonly string[] => clausesOf(accept).map(({ type }) => type);
  assert.deepEqual(types('a/b;q=0.1, C/D , e/f;q=0.5'), ['c/d', 'e/f', 'a/b']);
  assert.deepEqual(types('a/b,c/d'), ['a/b', 'c/d']);
  assert.deepEqual(types('a/b;q=0.9, c/d;q=odd'), ['c/d', 'a/b']);
  for (const none of [undefined, '', '  ']) assert.deepEqual(types(none), ['*/*']);
  assert.deepEqual(clausesOf('a/b; x = y=z ;flag')[0]?.parameters, { 'x ': ' y=z', '': 'flag' });
  assert.equal(types('a/b,'.repeat(40)).length, 32);
  assert.ok(types(`${'x'.repeat(5000)}, a/b`).every((type) => type !== 'a/b'));
});

test('negotiates an object, a table or metadata of a known version, or rejects', () => {
  const object = { as: 'object', version: 'v1', isYaml: false };
  for (const type of ['application/json', 'application/*', '*/*', 'APPLICATION/JSON'])
    assert.deepEqual(wantedOf(type), object);
  assert.deepEqual(wantedOf('application/yaml'), { ...object, isYaml: true });
  assert.deepEqual(wantedOf('application/json;as=Table;v=v1beta1;g=meta.k8s.io'), {
    ...object,
    as: 'Table',
    version: 'v1beta1',
  });
  assert.deepEqual(wantedOf('application/json; as=PartialObjectMetadataList'), {
    ...object,
    as: 'PartialObjectMetadataList',
  });
  for (const odd of ['as=Chair', 'as=Table;v=v2', 'as=Table;g=other'])
    assert.equal(wantedOf(`application/json;${odd}`), null, odd);
  assert.deepEqual(wantedOf('application/json;as=Chair, application/json'), object);
  assert.equal(wantedOf('application/vnd.kubernetes.protobuf'), null);
  assert.deepEqual(wantedOf('text/html, application/json;q=0.1'), object);
});
