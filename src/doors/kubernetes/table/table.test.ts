import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';
import type { Site } from '../site.ts';
import { addThings, openSite, START_MS } from '../testing.ts';
import { columnsOf } from './columns.ts';
import { partial } from './partial.ts';
import { tableOf } from './table.ts';

const things = openSite();
const COLUMN = { name: 'Size', type: 'integer', jsonPath: '.spec.size' };
addThings(things, { additionalPrinterColumns: [COLUMN] });
const { site } = things;

function kindOf(name: string, group = '', at: Site = site): KubeKind {
  const found = at.api.kinds().find((kind) => kind.kind === name && kind.group === group);
  assert.ok(found);
  return found;
}

function heads(kind: KubeKind, at: Site = site): readonly string[] {
  return columnsOf(at, kind).map(({ name }) => name);
}

describe('the columns of a kind', () => {
  test('are those of kubectl, by its group', () => {
    assert.deepEqual(heads(kindOf('Namespace')), ['Name', 'Status', 'Age']);
    assert.deepEqual(heads(kindOf('ServiceAccount')), ['Name', 'Age']);
    assert.deepEqual(heads(kindOf('DaemonSet', 'apps')).slice(0, 3), [
      'Name',
      'Desired',
      'Current',
    ]);
    const unknown = { ...kindOf('DaemonSet', 'apps'), group: 'other' };
    assert.deepEqual(heads(unknown), ['Name', 'Created At']);
  });

  test('of a custom kind are its own, or a name and an age', () => {
    assert.deepEqual(heads(kindOf('Thing', 'example.test')), ['Name', 'Size']);
    const bare = openSite();
    addThings(bare);
    assert.deepEqual(heads(kindOf('Thing', 'example.test', bare.site), bare.site), ['Name', 'Age']);
    const gone = { ...kindOf('Thing', 'example.test'), version: 'v9' };
    assert.deepEqual(heads(gone), ['Name', 'Age']);
  });

  test('count the entries of ConfigMaps and Secrets', () => {
    const cells = (name: string, object: JsonObject): readonly unknown[] =>
      columnsOf(site, kindOf(name)).map(({ cell }) => cell(object, START_MS));
    const texts = { a: '1', b: '2' };
    const metadata = { name: 'one', creationTimestamp: '2026-01-01T23:59:00Z' };
    assert.deepEqual(cells('ConfigMap', { metadata, data: texts, binaryData: { c: '' } }), [
      'one',
      '3',
      '60s',
    ]);
    assert.deepEqual(cells('ConfigMap', { metadata, data: ['a'] }), ['one', '0', '60s']);
    const secret = { metadata, data: texts, type: 'kubernetes.io/tls' };
    assert.deepEqual(cells('Secret', secret), ['one', 'kubernetes.io/tls', '2', '60s']);
    assert.deepEqual(cells('Secret', { metadata }), ['one', 'Opaque', '0', '60s']);
    assert.deepEqual(cells('Namespace', { metadata, status: { phase: 'Active' } }), [
      'one',
      'Active',
      '60s',
    ]);
  });

  test('of other small kinds show what kubectl shows', () => {
    const last = (name: string, group: string, object: JsonObject): unknown =>
      columnsOf(site, kindOf(name, group))[1]?.cell(object, START_MS);
    const lease = { spec: { holderIdentity: 'node-a' } };
    assert.equal(last('Lease', 'coordination.k8s.io', lease), 'node-a');
    assert.equal(last('RuntimeClass', 'node.k8s.io', { handler: 'kata' }), 'kata');
  });
});

describe('a table', () => {
  const kind = kindOf('Namespace');
  const one = { metadata: { name: 'a', resourceVersion: '7' }, status: { phase: 'Active' } };

  test('of an object has a row and the version of the object', () => {
    const table = tableOf(site, kind, one, 'v1', 'None');
    assert.deepEqual(table, {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Status', type: 'string', format: '', description: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', description: '', priority: 0 },
      ],
      rows: [{ cells: ['a', 'Active', '<unknown>'] }],
    });
    for (const odd of [{}, { metadata: 'x' }, { metadata: {} }])
      assert.deepEqual(tableOf(site, kind, odd, 'v1', 'None')['metadata'], {});
  });

  test('of a list has a row for each item and the metadata of the list', () => {
    const metadata = { resourceVersion: '9', continue: 'next' };
    const list = { kind: 'NamespaceList', metadata, items: [one, 'odd', one] };
    const table = tableOf(site, kind, list, 'v1', 'None');
    assert.deepEqual(table['metadata'], metadata);
    assert.equal((table['rows'] as readonly unknown[]).length, 2);
    const empty = tableOf(site, kind, { kind: 'NamespaceList', items: 'x' }, 'v1', 'None');
    assert.deepEqual([empty['metadata'], empty['rows']], [{}, []]);
  });

  test('carries metadata, the whole object or nothing with each row', () => {
    const carried = (include: string): unknown => {
      const [row] = tableOf(site, kind, one, 'v1beta1', include)['rows'] as readonly JsonObject[];
      return row?.['object'];
    };
    const { metadata } = one;
    const apiVersion = 'meta.k8s.io/v1beta1';
    assert.deepEqual(carried('Metadata'), { kind: 'PartialObjectMetadata', apiVersion, metadata });
    assert.deepEqual(carried('Object'), { kind: 'Namespace', apiVersion: 'v1', ...one });
    assert.equal(carried('None'), undefined);
  });
});

test('metadata alone is kept of an object, and of each item of a list', () => {
  const kind = kindOf('Namespace');
  const apiVersion = 'meta.k8s.io/v1';
  const own = { kind: 'PartialObjectMetadata', apiVersion };
  const metadata = { name: 'a' };
  assert.deepEqual(partial({ metadata, spec: {} }, kind, 'v1'), { ...own, metadata });
  assert.deepEqual(partial({}, kind, 'v1'), { ...own, metadata: {} });
  const items = [{ metadata, spec: {} }, 'odd'];
  const list = { kind: 'PartialObjectMetadataList', apiVersion };
  const version = { resourceVersion: '9' };
  assert.deepEqual(partial({ kind: 'NamespaceList', metadata: version, items }, kind, 'v1'), {
    ...list,
    metadata: version,
    items: [{ ...own, metadata }],
  });
  const empty = { ...list, metadata: {}, items: [] };
  assert.deepEqual(partial({ kind: 'NamespaceList', items: 'x' }, kind, 'v1'), empty);
});
